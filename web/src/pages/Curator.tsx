/* Curator.tsx — the vault, its schema, who may come in, how much each may ask, what happened. */
import { useEffect, useState } from "preact/hooks";
import { call, type Page, page, Refusal } from "../api";
import { useDraft } from "../draft";
import { Sorry } from "../parts/Price";
import { Story } from "../parts/Story";
import { useStory } from "./Books";

type Token = { id: string; name: string; role: string; revoked: boolean };
type Journal = { vault: string; since_ms: number; running: number; replies: { done: number; refused: number; failed: number }; rows: { time_ms: number; text: string }[] };

const time = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace("T", " ");

function Tokens({ act, rows }: { act: (run: () => Promise<unknown>) => void; rows: Token[] }) {
  const [fresh, setFresh] = useState("");
  const [name, setName] = useDraft("curator.name", "");
  const [role, setRole] = useDraft("curator.role", "analyst");
  return (
    <>
      <h2>Tokens</h2>
      <ul class="list">
        {rows.map((t) => (
          <li key={t.id}>
            <b>{t.id}</b> {t.name}, {t.role}{" "}
            {t.revoked ? (
              <span class="quiet">revoked</span>
            ) : (
              <button type="button" class="link" onClick={() => act(() => call("DELETE", "tokens/" + t.id))}>revoke {t.name}</button>
            )}
          </li>
        ))}
      </ul>
      <form
        class="fields"
        onSubmit={(e) => {
          e.preventDefault();
          act(async () => {
            setFresh((await call("POST", "tokens", { name, role })).value.token);
            setName("");
          });
        }}
      >
        <label>Name<input required value={name} onInput={(e) => setName((e.target as HTMLInputElement).value)} /></label>
        <label>
          Role
          <select value={role} onChange={(e) => setRole((e.target as HTMLSelectElement).value)}>
            <option>analyst</option><option>auditor</option><option>curator</option>
          </select>
        </label>
        <button type="submit">make a token</button>
      </form>
      {fresh && <p role="status">Give this to its holder now, it is not shown again: <code>{fresh}</code></p>}
    </>
  );
}

function Quotas({ act }: { act: (run: () => Promise<unknown>) => void }) {
  const [share, setShare] = useDraft("curator.share", "0.25");
  const [whose, setWhose] = useDraft("curator.whose", "");
  return (
    <>
      <h2>Quotas</h2>
      <p class="quiet">A share is a part of the whole budget: 0.25 is a quarter of it.</p>
      <form
        class="fields"
        onSubmit={(e) => {
          e.preventDefault();
          act(() => call("POST", "acts", whose === "" ? { act: "question", share } : { act: "quota", analyst: whose, share }));
        }}
      >
        <label>Analyst (empty: the largest single question)<input value={whose} onInput={(e) => setWhose((e.target as HTMLInputElement).value)} /></label>
        <label>Share of the cap<input inputMode="decimal" value={share} onInput={(e) => setShare((e.target as HTMLInputElement).value)} /></label>
        <button type="submit">set</button>
      </form>
    </>
  );
}

function Happened() {
  const [journal, setJournal] = useState<Journal | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  const load = () => call("GET", "journal").then((r) => setJournal(r.value), setWhy);
  useEffect(() => void load(), []);
  return (
    <>
      <h2>Audit log</h2>
      <Sorry why={why} />
      {!journal && !why && <p class="quiet">Reading the log…</p>}
      {journal && (
        <>
          <p>
            Since {time(journal.since_ms)} (UTC): {journal.replies.done} requests answered, {journal.replies.refused} refused, {journal.replies.failed} failed;{" "}
            {journal.running} at work. <button type="button" class="link" onClick={load}>look again</button>
          </p>
          <div class="scroll tall" tabIndex={0} role="group" aria-label="audit log">
            <table>
              <thead><tr><th scope="col">time (UTC)</th><th scope="col">what</th></tr></thead>
              <tbody>{journal.rows.map((r, i) => <tr key={i}><td>{time(r.time_ms)}</td><td>{r.text}</td></tr>)}</tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}

function Verify() {
  const [verdict, setVerdict] = useState<Page | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  return (
    <>
      <h2>Ledger</h2>
      <p class="actions">
        <button type="button" onClick={() => { setWhy(null); page("ledger/verify").then(setVerdict, setWhy); }}>verify every hash and sum</button>
        <a href="#/ledger">read its rows</a>
      </p>
      <Sorry why={why} />
      {verdict && <div role="status"><Story page={verdict} /></div>}
    </>
  );
}

export function Curator() {
  const [story, why, reload] = useStory("tokens");
  const [vault, vaultWhy] = useStory("vault");
  const [sorry, setSorry] = useState<Refusal | null>(null);
  const act = (run: () => Promise<unknown>) => {
    setSorry(null);
    run().then(reload, setSorry);
  };
  if (why) return <Sorry why={why} />;
  return (
    <section>
      <h1>Curator</h1>
      <Sorry why={sorry} />
      <Tokens act={act} rows={story?.data.rows ?? []} />
      <Quotas act={act} />
      <Verify />
      <h2>Vault and schema</h2>
      <Sorry why={vaultWhy} />
      {vault ? <Story page={vault} /> : <p class="quiet">Reading the schema…</p>}
      <Happened />
    </section>
  );
}
