/* Release.tsx — one release: its story, what it means, and why. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call, type Chart, type HeatChart, type Page, page, Refusal, type RowsChart, seen } from "../api";
import { useBasket } from "../basket";
import { useDraft } from "../draft";
import { Clusters } from "../parts/Clusters";
import { sentence } from "../parts/charts";
import { type Plan, Price, Sorry } from "../parts/Price";
import { Simulate } from "../parts/Simulate";
import { Story } from "../parts/Story";
import { usePurse } from "../purse";
import { go, useSession } from "../shell";
import { BudgetFields, means, paying } from "./Ask";
import { costWords, type Entry, time, told, useStory } from "./Books";

function firstRows(p: Page): (Chart & RowsChart) | undefined {
  return p.blocks.find((b) => b?.block === "chart" && b.chart === "rows") as (Chart & RowsChart) | undefined;
}

/** Two groups of an answer, and which of its numbers is compared. */
type Pick = { chosen: number[]; track: number };

/** Is A really above B? The verdict is free; the reasons cost. */
function Why({ id, rows, pick, set }: { id: string; rows: RowsChart; pick: Pick; set: (p: Pick) => void }) {
  const [length, setLength] = useDraft(`why.${id}.length`, "1");
  const [money, setMoney] = useDraft(`why.${id}.means`, means("0.5"));
  const at = useRef<HTMLElement>(null);
  useEffect(() => at.current?.scrollIntoView({ block: "nearest" }), []);
  const numbers = rows.tracks.map((t) => t.axis.name ?? "");
  const name = (i: number) => rows.rows[i]?.words.join(",") ?? "";
  const value = (i: number) => rows.rows[i]?.marks[pick.track]?.value ?? 0;
  const [one, two] = pick.chosen as [number, number];
  const [a, b] = value(one) >= value(two) ? [one, two] : [two, one];
  const quoted = (s: string) => (/^[\w-]+$/.test(s) ? s : `'${s.replaceAll("'", "''")}'`);
  const question = `${quoted(name(a))} > ${quoted(name(b))}`;
  const pay = paying(money);
  const of: Plan = numbers.length > 1 ? { of: numbers[pick.track]! } : {};
  const plan: Plan | null = pay && { verb: "why", release: id, question, ...of, length, ...pay };
  return (
    <section class="drawer" aria-label="why" ref={at}>
      <h2>Why is {name(a)} above {name(b)}?</h2>
      <p class="quiet">First, free: could it be the noise? Then, if you accept the price: what explains it.</p>
      <div class="fields">
        {numbers.length > 1 && (
          <label>
            Compare them by
            <select value={String(pick.track)} onChange={(e) => set({ ...pick, track: Number((e.target as HTMLSelectElement).value) })}>
              {numbers.map((n, i) => <option key={n} value={String(i)}>{n}</option>)}
            </select>
          </label>
        )}
        <label>
          Conditions in a reason
          <select value={length} onChange={(e) => setLength((e.target as HTMLSelectElement).value)}>
            <option value="1">one</option>
            <option value="2">two</option>
            <option value="3">three</option>
          </select>
        </label>
      </div>
      <BudgetFields means={money} set={setMoney} />
      <Price plan={plan} source={question} paid={(w) => go("releases/" + w)} word="Spend this and explain" />
      <button type="button" class="link" onClick={() => set({ ...pick, chosen: [] })}>close</button>
    </section>
  );
}

/** The map of a plan: click anywhere for the cost of a centre there. The point stays in this component, and nowhere else. */
function Places({ id, columns, confidence }: { id: string; columns: string[]; confidence: string }) {
  const [map, setMap] = useState<Page | null>(null);
  const [answer, setAnswer] = useState<Page | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  const [point, setPoint] = useState<string[]>(() => columns.map(() => ""));
  const [asked, setAsked] = useState<number[] | null>(null);
  const path = `points/${encodeURIComponent(id)}?format=blocks`;
  const flat = columns.length === 2;
  useEffect(() => {
    if (flat) call("POST", path, { grid: "48", confidence }).then((r) => setMap(r.value), setWhy);
  }, [id, confidence]);
  const ask = (p: string[]) => {
    setWhy(null);
    setPoint(p);
    call("POST", path, { points: p, confidence }).then((r) => { setAnswer(r.value); setAsked(p.map(Number)); }, setWhy);
  };
  useEffect(() => { if (asked) ask(point); }, [confidence]);
  const chart = map?.blocks.find((b): b is Chart & HeatChart => b?.block === "chart" && b.chart === "heat");
  const here = asked && asked.length === 2 ? [{ x: asked[0]!, y: asked[1]!, letter: "✕", label: "your point" }] : [];
  const known = answer && <div role="status"><Story page={{ ...answer, blocks: answer.blocks.filter((b) => b?.block !== "heading") }} /></div>;
  return (
    <section class="drawer" aria-label="what would it cost here?">
      <h2>What would it cost to put a centre here?</h2>
      <p>
        {flat ? "Click on the map, or write a point." : "Write a point."} <b>Free, as often as you like</b>: the answer is a function of this release and of your own point,
        which is not stored, here or on the server.
      </p>
      <form class="fields" onSubmit={(e) => { e.preventDefault(); ask(point); }}>
        {columns.map((c, i) => (
          <label key={c}>{c}<input inputMode="decimal" required value={point[i] ?? ""} onInput={(e) => setPoint(point.map((v, k) => (k === i ? (e.target as HTMLInputElement).value : v)))} /></label>
        ))}
        <button type="submit">what would it cost?</button>
      </form>
      <Sorry why={why} />
      {known}
      {flat && !map && !why && <p class="quiet">Drawing the map…</p>}
      {map && chart && <Story page={{ ...map, blocks: [{ ...chart, places: [...chart.places, ...here] }] }} point={(x, y) => ask([x.toFixed(4), y.toFixed(4)])} />}
    </section>
  );
}

/** A word that a shell reads as one word. */
const inShell = (word: string) => (/^[\w.@%+=:,/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Puts a text on the clipboard and says so; without one it is shown to be copied by hand. */
export function Copy({ word, text }: { word: string; text: string }) {
  const [state, setState] = useState<"" | "done" | "shown">("");
  const copy = () => (navigator.clipboard ? navigator.clipboard.writeText(text).then(() => setState("done"), () => setState("shown")) : setState("shown"));
  return (
    <span>
      <button type="button" class="link" onClick={copy}>{word}</button>
      <span role="status" class="quiet">{state === "done" ? " copied" : ""}</span>
      {state === "shown" && <code> {text}</code>}
    </span>
  );
}

const forms: [string, string][] = [["json", "JSON"], ["csv", "CSV"], ["svg", "SVG"], ["html", "HTML"], ["vega", "VEGA"]];

/** In every form, as a link, as a command, in the report. */
function TakeAway({ id, confidence }: { id: string; confidence: string }) {
  const session = useSession();
  const [report, setReport] = useBasket(session?.vault ?? "");
  const inReport = report.includes(id);
  return (
    <section class="takeaway" aria-label="take it away">
      <p class="actions">
        <span class="quiet">Save as</span>
        {forms.map(([f, word]) => (
          <a key={f} href={`/api/v1/releases/${encodeURIComponent(id)}?format=${f}&confidence=${confidence}`} download={`${id}.${f === "vega" ? "vl.json" : f}`}>{word}</a>
        ))}
      </p>
      <p class="actions">
        <Copy word="copy the link" text={`${location.origin}/#/releases/${id}`} />
        <Copy word="copy as command" text={`jali release ${inShell(session?.vault ?? "VAULT")} ${id} --confidence ${confidence}`} />
        <button type="button" class="link" aria-pressed={inReport} onClick={() => setReport(inReport ? report.filter((x) => x !== id) : [...report, id])}>
          {inReport ? "take out of the report" : "add to report"}
        </button>
        {inReport && <a href="#/report">see the report</a>}
      </p>
    </section>
  );
}

/** Who paid how much for it, and what follows from it. */
function Origin({ id, story }: { id: string; story: Page }) {
  const purse = usePurse();
  const [list] = useStory("releases");
  const titled = story.kind === "ask" || story.kind === "why"; // its first line says what it is
  const entry = (list?.data.rows as Entry[] | undefined)?.find((r) => r.release === id);
  return (
    <p class="quiet">
      {entry && !titled ? sentence(told(entry)) + ". " : ""}
      {entry ? `Asked by ${entry.by}, ${time(entry.time_ms)} UTC. ` : ""}
      It cost {costWords(story.data.paid, purse)}. Looking at it again is free, in any form and at any confidence.
    </p>
  );
}

/** What to do next with two bars, from none to both. */
function Hint({ rows, chosen }: { rows: RowsChart; chosen: number[] }) {
  const [one] = chosen;
  return (
    <p class="hint" role="status">
      {one === undefined
        ? "Click two bars, or choose two groups below the picture, to ask why one is above the other."
        : chosen.length === 1
          ? `A is ${rows.rows[one]?.words.join(", ")}. Choose another group to compare it with.`
          : "Two groups are chosen: the verdict and the price of an explanation are below the picture."}
    </p>
  );
}

export function Release({ id }: { id: string }) {
  const [story, setStory] = useState<Page | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  const [turn, setTurn] = useState(0);
  const [confidence, setConfidence] = useState("0.95");
  const [pick, setPick] = useDraft<Pick>("why." + id, { chosen: [], track: 0 });
  const [simulate, setSimulate] = useState(false);
  const session = useSession();

  useEffect(() => {
    setWhy(null);
    page(`releases/${encodeURIComponent(id)}?confidence=${confidence}`).then((answer) => { seen(id); setStory(answer); }, setWhy);
  }, [id, confidence, turn]);

  if (why) return <Sorry why={why} again={() => setTurn(turn + 1)} />;
  if (!story) return <p class="quiet">Reading {id}…</p>;
  const rows = firstRows(story);
  const isAsk = story.kind === "ask" && session?.role !== "auditor" && !!rows && rows.rows.length > 1 && rows.words.length > 0;
  const chosen = pick.chosen.filter((i) => !!rows?.rows[i]);
  const choose = (i: number, track?: number) =>
    setPick({ chosen: chosen.includes(i) ? chosen.filter((k) => k !== i) : [...chosen, i].slice(-2), track: track ?? pick.track });
  const both = isAsk && chosen.length === 2;
  return (
    <section>
      <h1>Release {id}</h1>
      <Origin id={id} story={story} />
      {story.kind === "contrast" && <Places id={id} columns={story.data.columns ?? ["x", "y"]} confidence={confidence} />}
      {isAsk && <Hint rows={rows} chosen={chosen} />}
      {story.kind === "cluster" ? (
        <Clusters id={id} page={story} confidence={confidence} />
      ) : (
        <Story
          page={{ ...story, blocks: story.blocks.filter((b) => !(b?.block === "say" && b.text.startsWith("Ask it for free: jali"))) }}
          without={["cost", "left"]}
          choose={isAsk ? choose : undefined}
          chosen={chosen}
          after={both ? <Why key={chosen.join()} id={id} rows={rows} pick={{ ...pick, chosen }} set={setPick} /> : undefined}
        />
      )}
      <div class="fields">
        <label>
          Intervals cover with
          <select value={confidence} onChange={(e) => setConfidence((e.target as HTMLSelectElement).value)}>
            {["0.5", "0.8", "0.9", "0.95", "0.99", "0.999"].map((c) => <option key={c} value={c}>{100 * Number(c)}%</option>)}
          </select>
        </label>
        {rows && (
          <button type="button" aria-expanded={simulate} onClick={() => setSimulate(!simulate)}>what does the interval mean?</button>
        )}
      </div>
      {simulate && rows && <Simulate chart={rows} confidence={Number(confidence)} mechanism={JSON.stringify(story.data.mechanism ?? "")} />}
      <TakeAway id={id} confidence={confidence} />
    </section>
  );
}
