/* Books.tsx — releases, budget, ledger: what happened, by whom, what is left. */
import { useEffect, useState } from "preact/hooks";
import { type Chart, type Page, page, Refusal } from "../api";
import { Picture } from "../parts/charts";
import { Sorry } from "../parts/Price";
import { Story } from "../parts/Story";
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

type Entry = { release: string; kind: string; what: string; by: string; time_ms: number; paid: { eps: string; rho: string } };

const time = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace("T", " ");

/** Of two ways to write a cost, the one that is finite. */
function cost(e: Entry): string {
  return e.paid.eps === "inf" ? `rho ${Number(e.paid.rho).toPrecision(3)}` : `epsilon ${e.paid.eps}`;
}

export function Releases() {
  const session = useSession();
  const [story, why] = useStory("releases");
  const [mine, setMine] = useState(false);
  if (why) return <Sorry why={why} />;
  if (!story) return <p class="quiet">Reading the releases…</p>;
  const all: Entry[] = story.data.rows ?? [];
  const rows = all.filter((r) => !mine || r.by === session?.name).reverse();
  return (
    <section>
      <h1>Releases</h1>
      <p>What was paid for. Looking again is free for everybody, in any form and at any confidence.</p>
      {all.length > 0 && <label class="tick"><input type="checkbox" checked={mine} onChange={() => setMine(!mine)} /> only mine</label>}
      {rows.length === 0 && <p class="quiet">{all.length === 0 ? "Nothing was released yet. Ask something." : "You have asked nothing yet."}</p>}
      <ul class="list">
        {rows.map((r) => (
          <li key={r.release}>
            <a href={"#/releases/" + r.release}><b>{r.release}</b> {r.what}</a>{" "}
            <span class="quiet">by {r.by}, {time(r.time_ms)} UTC, {cost(r)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What each release added, one after the other, and the cap above. */
function timeline(rows: Entry[], cap: { eps: string; rho?: string }): Chart | null {
  const pure = rows.every((r) => r.paid.eps !== "inf");
  const part = (r: Entry) => Number(pure ? r.paid.eps : r.paid.rho);
  const whole = Number(pure ? cap.eps : cap.rho);
  if (rows.length === 0 || !(whole > 0)) return null;
  let sum = 0;
  const dots = rows.map((r, i) => ({ x: i + 1, y: { value: (sum += part(r)) / whole, low: sum / whole, high: sum / whole } }));
  return {
    block: "chart",
    chart: "lines",
    title: "Share of the cap that is spent, release by release",
    about: `After ${rows.length} releases ${((100 * sum) / whole).toFixed(1)}% of the cap is spent. ` + rows.map((r, i) => `${r.release} by ${r.by}: ${((100 * part(rows[i]!)) / whole).toFixed(1)}%`).join("; ") + ".",
    note: pure ? "by addition of epsilon" : "by addition of rho",
    x: { name: "release", whole: true },
    y: { name: "spent", percent: true },
    named: false,
    stepped: true,
    series: [{ dots: [{ x: 0, y: { value: 0, low: 0, high: 0 } }, ...dots] }],
    strip: [],
    upright: [],
  };
}

/** Who paid for what, the latest first. */
function Spending({ rows }: { rows: Entry[] }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="who spent it on what">
      <table>
        <thead><tr><th scope="col">release</th><th scope="col">by</th><th scope="col">when (UTC)</th><th scope="col">cost</th><th scope="col">on what</th></tr></thead>
        <tbody>
          {[...rows].reverse().map((r) => (
            <tr key={r.release}><td><a href={"#/releases/" + r.release}>{r.release}</a></td><td>{r.by}</td><td>{time(r.time_ms)}</td><td>{cost(r)}</td><td>{r.what}</td></tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Budget() {
  const [story, why] = useStory("budget");
  const [releases, sorry] = useStory("releases");
  if (why) return <Sorry why={why} />;
  if (!story) return <p class="quiet">Reading the budget…</p>;
  const rows: Entry[] = releases?.data.rows ?? [];
  const line = timeline(rows, story.data.cap ?? {});
  return (
    <section>
      <h1>Budget</h1>
      <p>
        Every answer gives a little away about everybody. The curator has fixed how much may be given away in all; what is spent is
        spent for good, whoever asked.
      </p>
      <Story page={story} />
      <Sorry why={sorry} />
      {line && <Picture c={line} />}
      {rows.length > 0 ? <Spending rows={rows} /> : <p class="quiet">Nothing was spent yet.</p>}
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
