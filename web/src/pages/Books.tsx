/* Books.tsx — releases, budget, ledger: what happened, by whom, what is left. */
import { useEffect, useState } from "preact/hooks";
import { call, type Page, page, Refusal } from "../api";
import { Sorry } from "../parts/Price";
import { Story } from "../parts/Story";

export function useStory(path: string): [Page | null, Refusal | null, () => void] {
  const [story, setStory] = useState<Page | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  const load = () => {
    setWhy(null);
    page(path).then(setStory, setWhy);
  };
  useEffect(load, [path]);
  return [story, why, load];
}

export function Releases() {
  const [story, why] = useStory("releases");
  if (why) return <Sorry why={why} />;
  if (!story) return <p class="quiet">Reading the releases…</p>;
  const rows: { release: string; what?: string; note?: string; who?: string; by?: string; time?: string }[] = story.data.rows ?? [];
  return (
    <section>
      <h1>Releases</h1>
      {rows.length === 0 && <p class="quiet">Nothing was released yet. Ask something.</p>}
      <ul class="list">
        {rows.map((r) => (
          <li key={r.release}>
            <a href={"#/releases/" + r.release}><b>{r.release}</b> {r.what ?? r.note ?? ""}</a> <span class="quiet">{r.by ?? r.who ?? ""}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Budget() {
  const [story, why] = useStory("budget");
  if (why) return <Sorry why={why} />;
  if (!story) return <p class="quiet">Reading the budget…</p>;
  return (
    <section>
      <h1>Budget</h1>
      <p>
        Every answer gives a little away about everybody. The curator has fixed how much may be given away in all; what is spent is
        spent for good, whoever asked.
      </p>
      <Story page={story} />
    </section>
  );
}

export function Ledger() {
  const [story, why] = useStory("ledger");
  const [verdict, setVerdict] = useState<Page | null>(null);
  const [sorry, setSorry] = useState<Refusal | null>(null);
  if (why) return <Sorry why={why} />;
  return (
    <section>
      <h1>Ledger</h1>
      <p class="actions">
        <button type="button" onClick={() => page("ledger/verify").then(setVerdict, setSorry)}>verify every hash and sum</button>
      </p>
      <Sorry why={sorry} />
      {verdict && <Story page={verdict} />}
      {story ? <Story page={story} /> : <p class="quiet">Reading the ledger…</p>}
    </section>
  );
}

/** Tokens, quotas, the largest question. */
export function Curator() {
  const [story, why, reload] = useStory("tokens");
  const [sorry, setSorry] = useState<Refusal | null>(null);
  const [fresh, setFresh] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState("analyst");
  const [share, setShare] = useState("0.25");
  const [whose, setWhose] = useState("");
  const act = (run: () => Promise<unknown>) => {
    setSorry(null);
    run().then(reload, setSorry);
  };
  if (why) return <Sorry why={why} />;
  const rows: { id: string; name: string; role: string; revoked: boolean }[] = story?.data.rows ?? [];
  return (
    <section>
      <h1>Curator</h1>
      <Sorry why={sorry} />
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
          act(async () => setFresh((await call("POST", "tokens", { name, role })).value.token));
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
      <h2>Quotas</h2>
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
    </section>
  );
}
