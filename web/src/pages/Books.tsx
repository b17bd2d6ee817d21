/* Books.tsx — releases, budget, ledger: what happened, by whom, what is left. */
import { useEffect, useState } from "preact/hooks";
import { type Chart, type Page, page, Refusal } from "../api";
import { Picture } from "../parts/charts";
import { Sorry } from "../parts/Price";
import { PurseBar } from "../parts/Purse";
import { Story } from "../parts/Story";
import { measure, type Purse, readPurse, share, usePurse } from "../purse";
import { useSession } from "../shell";

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

export type Entry = { release: string; kind: string; what: string; by: string; time_ms: number; paid: { eps: string; rho: string } };

export const time = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace("T", " ");

/** What a release is about, in a few words. */
export function told(e: Entry): string {
  if (e.kind === "why") return `why ${e.what}?`;
  if (e.kind === "profile") return e.what.startsWith("c") ? `what tells the clusters of ${e.what} apart` : `what tells clusters apart: ${e.what}`;
  const portrait = e.kind === "model" ? /^model (pdp|ale|pfi)(?: of (.*))?$/.exec(e.what) : null;
  if (portrait) return { pdp: `how a model depends on ${portrait[2]} (PDP)`, ale: `the local effects of ${portrait[2]} in a model (ALE)`, pfi: "which columns matter to a model" }[portrait[1]!]!;
  return e.what;
}

/** What was paid, as a share of the whole if that is known, and in its own measure. */
export function costWords(paid: { eps: string; rho: string } | undefined, purse: Purse | null): string {
  if (!paid) return "";
  const part = purse?.of(paid) ?? NaN;
  return Number.isFinite(part) ? `${share(part)} of the budget (${measure(paid)})` : measure(paid);
}

export function Releases() {
  const session = useSession();
  const purse = usePurse();
  const [story, why, again] = useStory("releases");
  const [mine, setMine] = useState(false);
  if (why) return <Sorry why={why} again={again} />;
  if (!story) return <p class="quiet">Reading the releases…</p>;
  const all: Entry[] = story.data.rows ?? [];
  const rows = all.filter((r) => !mine || r.by === session?.name).reverse();
  return (
    <section>
      <h1>Releases</h1>
      <p>What was paid for. Looking again is free for everybody, in any form and at any confidence.</p>
      {all.length > 0 && <label class="tick"><input type="checkbox" checked={mine} onChange={() => setMine(!mine)} /> only mine</label>}
      {rows.length === 0 && (
        <p class="quiet">
          {all.length === 0 ? "Nothing was released yet. " : "You have asked nothing yet. "}
          {session?.role !== "auditor" && <a href="#/ask">Ask something</a>}
        </p>
      )}
      <ul class="list">
        {rows.map((r) => (
          <li key={r.release}>
            <a href={"#/releases/" + r.release}><b>{r.release}</b> {told(r)}</a>
            <span class="quiet under">by {r.by}, {time(r.time_ms)} UTC, {costWords(r.paid, purse)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What each release added, one after the other, and the cap above. */
function timeline(rows: Entry[], purse: Purse): Chart | null {
  if (rows.length === 0 || !Number.isFinite(purse.spent)) return null;
  let sum = 0;
  const dots = rows.map((r, i) => ({ x: i + 1, y: { value: (sum += purse.of(r.paid)), low: sum, high: sum } }));
  return {
    block: "chart",
    chart: "lines",
    title: "Share of the budget that is spent, release by release",
    about: `After ${rows.length} releases ${share(sum)} of the budget is spent. ` + rows.map((r) => `${r.release} by ${r.by}: ${share(purse.of(r.paid))}`).join("; ") + ".",
    note: "100% is all that may ever be spent. Costs add up; nothing comes back.",
    x: { name: "release", whole: true },
    y: { name: "spent", percent: true },
    named: false,
    stepped: rows.map((r) => r.release),
    series: [{ dots: [{ x: 0, y: { value: 0, low: 0, high: 0 } }, ...dots] }],
    strip: [],
    upright: [],
  };
}

/** Who paid for what, the latest first. */
function Spending({ rows, purse }: { rows: Entry[]; purse: Purse | null }) {
  return (
    <>
      <h2>On what</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="who spent it on what">
        <table class="wide">
          <thead><tr><th scope="col">release</th><th scope="col" class="right">of the budget</th><th scope="col">on what</th><th scope="col">by</th><th scope="col">cost</th><th scope="col">when (UTC)</th></tr></thead>
          <tbody>
            {[...rows].reverse().map((r) => (
              <tr key={r.release}>
                <td><a href={"#/releases/" + r.release}>{r.release}</a></td><td class="right">{purse ? share(purse.of(r.paid)) : ""}</td>
                <td class="what">{told(r)}</td><td>{r.by}</td><td>{measure(r.paid)}</td><td>{time(r.time_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

type Spender = { analyst: string; charges: number; spent: { eps: string; rho: string }; quota: string };

/** Spent by whom, as a sentence: "eve 20.1%, bob 3%". */
function byWhom(rows: Spender[], purse: Purse): string {
  return rows.map((r) => `${r.analyst} ${share(purse.of(r.spent))}`).join(", ");
}

/** The same as the picture and the table, for whoever would rather read. */
function InWords({ data, purse, rows }: { data: { rows?: Spender[]; question_share?: string }; purse: Purse; rows: Entry[] }) {
  const session = useSession();
  const me = data.rows?.find((r) => r.analyst === session?.name);
  const left = 1 - purse.spent;
  const usual = rows.length > 0 ? purse.spent / rows.length : NaN;
  const quota = me && Number(me.quota) < 1 ? Number(me.quota) : null;
  const most = Number(data.question_share ?? 1);
  return (
    <p class="lead">
      {purse.spent > 0 ? <><b>{share(purse.spent)} of the budget is spent</b>{data.rows?.length ? ` (${byWhom(data.rows, purse)})` : ""}, and <b>{share(left)} is left</b> for everybody together</> : <><b>Nothing is spent yet</b>: all of the budget is left, for everybody together</>}
      {usual > 0 && left > 0 ? `: about ${Math.floor(left / usual)} more answers such as those so far.` : "."}
      {quota !== null && me ? ` Of your own quota, ${share(quota)} of the budget, you have used ${share(purse.of(me.spent))}.` : ""}
      {most < 1 ? ` A single question may take ${share(most)} at most.` : ""}
    </p>
  );
}

export function Budget() {
  const [story, why, again] = useStory("budget");
  const [releases, sorry] = useStory("releases");
  if (why) return <Sorry why={why} again={again} />;
  if (!story) return <p class="quiet">Reading the budget…</p>;
  const rows: Entry[] = releases?.data.rows ?? [];
  const purse = readPurse(story.data);
  const line = timeline(rows, purse);
  return (
    <section>
      <h1>Budget</h1>
      <p>
        Every answer gives a little away about everybody. The curator has fixed how much may be given away in all; what is spent is
        spent for good, whoever asked.
      </p>
      <InWords data={story.data} purse={purse} rows={rows} />
      <PurseBar before={purse.spent} />
      <Sorry why={sorry} />
      {line && <Picture c={line} />}
      {rows.length > 0 ? <Spending rows={rows} purse={purse} /> : <p class="quiet">Nothing was spent yet. A price is shown before anything is: <a href="#/ask">ask something</a>.</p>}
      <h2>In epsilon and rho</h2>
      <Story page={{ ...story, blocks: story.blocks.filter((b) => b && b.block !== "heading" && b.block !== "meter") }} />
    </section>
  );
}

export function Ledger() {
  const [story, why, again] = useStory("ledger");
  const [verdict, setVerdict] = useState<Page | null>(null);
  const [sorry, setSorry] = useState<Refusal | null>(null);
  if (why) return <Sorry why={why} again={again} />;
  return (
    <section>
      <h1>Ledger</h1>
      <p>Every charge and every release, each under the hash of the one before: a row that was changed, added or taken away would be seen.</p>
      <p class="actions">
        <button type="button" onClick={() => { setSorry(null); page("ledger/verify").then(setVerdict, setSorry); }}>verify every hash and sum</button>
      </p>
      <Sorry why={sorry} />
      {verdict && <div role="status"><Story page={verdict} /></div>}
      {story ? <Story page={story} /> : <p class="quiet">Reading the ledger…</p>}
    </section>
  );
}
