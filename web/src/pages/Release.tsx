/* Release.tsx — one release: its story, what it means, and why. */
import { useEffect, useState } from "preact/hooks";
import { call, type Chart, type Page, page, Refusal, seen } from "../api";
import { type Plan, Price, Sorry } from "../parts/Price";
import { Simulate } from "../parts/Simulate";
import { Story } from "../parts/Story";
import { useBasket } from "../basket";
import { go, useSession } from "../shell";
import { BudgetFields } from "./Ask";

function firstRows(p: Page): (Chart & { chart: "rows" }) | undefined {
  return p.blocks.find((b) => b?.block === "chart" && b.chart === "rows") as (Chart & { chart: "rows" }) | undefined;
}

/** Is A really above B? The verdict is free; the reasons cost. */
function Why(props: { id: string; a: string; b: string; close: () => void }) {
  const [aim, setAim] = useState<"epsilon" | "rho" | "error">("epsilon");
  const [amount, setAmount] = useState("0.5");
  const [length, setLength] = useState("1");
  const quoted = (s: string) => (/^[\w-]+$/.test(s) ? s : `'${s.replaceAll("'", "''")}'`);
  const question = `${quoted(props.a)} > ${quoted(props.b)}`;
  const plan: Plan = { verb: "why", release: props.id, question, length, [aim]: amount };
  return (
    <section class="drawer" aria-label="why">
      <h2>Why is {props.a} above {props.b}?</h2>
      <p class="quiet">First, free: could it be the noise? Then, if you accept the price: what explains it.</p>
      <div class="fields">
        <label>
          Conditions in a reason
          <select value={length} onChange={(e) => setLength((e.target as HTMLSelectElement).value)}>
            <option value="1">one</option>
            <option value="2">two</option>
            <option value="3">three</option>
          </select>
        </label>
      </div>
      <BudgetFields aim={aim} amount={amount} set={(a, n) => { setAim(a); setAmount(n); }} />
      <Price plan={plan} source={question} paid={(id) => go("releases/" + id)} word="Spend this and explain" />
      <button type="button" class="link" onClick={props.close}>close</button>
    </section>
  );
}

/** The map of a plan: click anywhere for the cost of a centre there. */
function Places({ id, confidence }: { id: string; confidence: string }) {
  const [map, setMap] = useState<Page | null>(null);
  const [answer, setAnswer] = useState<Page | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  const [x, setX] = useState("");
  const [y, setY] = useState("");
  useEffect(() => {
    call("POST", `points/${encodeURIComponent(id)}?format=blocks`, { grid: "48" }).then((r) => setMap(r.value), setWhy);
  }, [id]);
  const ask = (px: string, py: string) => {
    setWhy(null);
    setX(px);
    setY(py);
    call("POST", `points/${encodeURIComponent(id)}?format=blocks`, { points: [px, py], confidence }).then((r) => setAnswer(r.value), setWhy);
  };
  return (
    <section class="drawer" aria-label="what would it cost here?">
      <h2>What would it cost to put a centre here?</h2>
      <p class="quiet">Click on the map, or write a point. Free: the answer is a function of this release and of your own point, which is not stored.</p>
      <form class="fields" onSubmit={(e) => { e.preventDefault(); ask(x, y); }}>
        <label>x<input inputMode="decimal" required value={x} onInput={(e) => setX((e.target as HTMLInputElement).value)} /></label>
        <label>y<input inputMode="decimal" required value={y} onInput={(e) => setY((e.target as HTMLInputElement).value)} /></label>
        <button type="submit">what would it cost?</button>
      </form>
      <Sorry why={why} />
      {answer && <div role="status"><Story page={{ ...answer, blocks: answer.blocks.filter((b) => b?.block !== "heading") }} /></div>}
      {map && <Story page={{ ...map, blocks: map.blocks.filter((b) => b?.block === "chart") }} point={(px, py) => ask(px.toFixed(4), py.toFixed(4))} />}
    </section>
  );
}

/** A word that a shell reads as one word. */
const inShell = (word: string) => (/^[\w.@%+=:,/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Puts a text on the clipboard and says so; without one it is shown to be copied by hand. */
function Copy({ word, text }: { word: string; text: string }) {
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

export function Release({ id }: { id: string }) {
  const [story, setStory] = useState<Page | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  const [confidence, setConfidence] = useState("0.95");
  const [chosen, setChosen] = useState<number[]>([]);
  const [simulate, setSimulate] = useState(false);
  const session = useSession();
  const [report, setReport] = useBasket(session?.vault ?? "");
  const inReport = report.includes(id);

  useEffect(() => {
    setWhy(null);
    page(`releases/${encodeURIComponent(id)}?confidence=${confidence}`).then((told) => { seen(id); setStory(told); }, setWhy);
  }, [id, confidence]);
  useEffect(() => {
    setChosen([]);
    setStory(null);
  }, [id]);

  if (why) return <Sorry why={why} />;
  if (!story) return <p class="quiet">Reading {id}…</p>;
  const rows = firstRows(story);
  const isAsk = story.kind === "ask" && !!rows && rows.rows.length > 1 && rows.words.length > 0;
  const choose = (i: number) => setChosen((c) => (c.includes(i) ? c.filter((k) => k !== i) : [...c, i].slice(-2)));
  const name = (i: number) => rows?.rows[i]?.words.join(",") ?? "";
  const value = (i: number) => rows?.rows[i]?.marks[0]?.value ?? 0;
  const [a, b] = chosen.length === 2 ? (value(chosen[0]!) >= value(chosen[1]!) ? chosen : [chosen[1]!, chosen[0]!]) : [];
  return (
    <section>
      <h1>Release {id}</h1>
      {isAsk && <p class="hint">Click two bars, or choose two groups below the picture, to ask why one is above the other.</p>}
      <Story page={story} choose={isAsk ? choose : undefined} chosen={chosen} />
      {id.startsWith("c") && <p class="actions"><a href={"#/profiles/" + id}>What tells these clusters apart?</a></p>}
      {id.startsWith("k") && <Places id={id} confidence={confidence} />}
      {a !== undefined && b !== undefined && <Why id={id} a={name(a)} b={name(b)} close={() => setChosen([])} />}
      <div class="fields">
        <label>
          Intervals cover with
          <select value={confidence} onChange={(e) => setConfidence((e.target as HTMLSelectElement).value)}>
            {["0.5", "0.8", "0.9", "0.95", "0.99", "0.999"].map((c) => <option key={c} value={c}>{100 * Number(c)}%</option>)}
          </select>
        </label>
      </div>
      <p class="actions">
        {["json", "csv", "svg", "html", "vega"].map((f) => (
          <a key={f} href={`/api/v1/releases/${encodeURIComponent(id)}?format=${f}&confidence=${confidence}`} download={`${id}.${f === "vega" ? "vl.json" : f}`}>{f.toUpperCase()}</a>
        ))}
        <Copy word="copy as command" text={`jali release ${inShell(session?.vault ?? "VAULT")} ${id} --confidence ${confidence}`} />
        <Copy word="copy the link" text={`${location.origin}/#/releases/${id}`} />
        <button type="button" class="link" aria-pressed={inReport} onClick={() => setReport(inReport ? report.filter((x) => x !== id) : [...report, id])}>
          {inReport ? "take out of the report" : "add to report"}
        </button>
        {rows && (
          <button type="button" class="link" aria-expanded={simulate} onClick={() => setSimulate(!simulate)}>what does the interval mean?</button>
        )}
      </p>
      {simulate && rows && <Simulate chart={rows} confidence={Number(confidence)} mechanism={JSON.stringify(story.data.mechanism ?? "")} />}
      <p class="quiet">Looking at a release again is free, in any form and at any confidence.</p>
    </section>
  );
}
