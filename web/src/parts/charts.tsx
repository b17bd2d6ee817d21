/* charts.tsx — the four kinds of pictures of a document, drawn by Observable Plot. */
import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Axis, Chart, HeatChart, LinesChart, Mark, PairsChart, RowsChart } from "../api";

const ink = "var(--ink)";
const warm = "var(--warm)";
const cool = "var(--cool)";
const pale = "color-mix(in srgb, var(--cool) 25%, var(--card))"; // light beside warm without colours, too
const dashes = ["none", "7 4", "2 3", "10 3 2 3"];

function axisLabel(a: Axis): string {
  return (a.name ?? "") + (a.unit ? ` (${a.unit})` : a.percent ? " (%)" : "");
}

export function show(x: number | null | undefined, a: Axis): string {
  if (x === null || x === undefined) return "?";
  if (a.percent) return (100 * x).toFixed(1) + "%";
  if (a.whole) return String(Math.round(x));
  const size = Math.abs(x);
  return x.toLocaleString("en", { maximumFractionDigits: size >= 1000 ? 0 : size >= 10 ? 1 : 3 });
}

export function sayMark(m: Mark, a: Axis): string {
  if (m.unknown) return "too few to tell";
  return `${show(m.value, a)} (${show(m.low, a)} to ${show(m.high, a)})`;
}

function known(m: Mark | undefined): boolean {
  return !!m && !m.unknown && m.low !== null && m.low !== undefined;
}

/** Puts what Plot makes into the page, as wide as there is room. */
function Figure(props: { make: (width: number) => Element; about: string; watch: unknown; also?: string; clicked?: (e: MouseEvent, at: Element) => void }) {
  const at = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const look = new ResizeObserver((e) => setWidth(Math.max(280, Math.floor(e[0]?.contentRect.width ?? 640))));
    if (at.current) look.observe(at.current);
    return () => look.disconnect();
  }, []);
  useEffect(() => {
    const picture = props.make(width);
    // Its rules are in style.css: a page that allows no style of its own cannot be given one.
    picture.querySelectorAll("style").forEach((e) => e.remove());
    const tall = (e: Element) => Number(e.getAttribute("height"));
    // A legend is a picture, too: the tallest is the chart.
    const svg = picture instanceof SVGElement ? picture : [...picture.querySelectorAll("svg")].sort((a, b) => tall(b) - tall(a))[0];
    // One picture, one sentence: the parts that Plot names would be read out one by one.
    picture.querySelectorAll("[aria-label], [aria-describedby]").forEach((e) => {
      e.removeAttribute("aria-label");
      e.removeAttribute("aria-describedby");
    });
    svg?.setAttribute("role", "img");
    svg?.setAttribute("aria-label", props.about);
    at.current?.replaceChildren(picture);
    return () => picture.remove();
  }, [width, props.watch, props.also]);
  return <div class="picture" ref={at} onClick={(e) => at.current && props.clicked?.(e, at.current)} />;
}

/* ---- rows ------------------------------------------------------------------------------ */

function rowName(c: RowsChart, i: number): string {
  return c.rows[i]?.words.join(", ") ?? "";
}

/** Rows are 29 points high, between a margin and the axis with its name. */
const TOP = 20, BOTTOM = 42;
const rowsHigh = (n: number) => TOP + 29 * n + BOTTOM;

/** The beginning of a name, if there is no room for all of it: the numbers below have the rest. */
const cut = (name: string, room: number) => (name.length <= room ? name : name.slice(0, Math.max(3, Math.floor(room) - 1)) + "…");

/** The row under a click. */
function rowAt(c: RowsChart, e: MouseEvent, at: Element): number {
  const frame = at.querySelector("svg")?.getBoundingClientRect();
  if (!frame) return -1;
  const high = rowsHigh(c.rows.length);
  const y = (((e.clientY - frame.top) * high) / frame.height - TOP) / (high - TOP - BOTTOM);
  return y < 0 || y >= 1 ? -1 : Math.floor(y * c.rows.length);
}

function rowsTrack(c: RowsChart, track: number, width: number, chosen: number[] = []): Element {
  const t = c.tracks[track]!;
  const data = c.rows.map((r, i) => ({ name: rowName(c, i), ...(r.marks[track] ?? {}) }));
  const good = data.filter((d) => known(d));
  const picked = new Set(chosen.map((i) => rowName(c, i)));
  const left = Math.min(width * 0.4, 12 + 7 * Math.max(4, ...data.map((d) => d.name.length)));
  const marks: Plot.Markish[] = [Plot.ruleX([0], { stroke: "var(--line)" })];
  if (t.bar) marks.push(Plot.barX(good, { x: "value", y: "name", fill: warm, fillOpacity: 0.55, insetTop: 3, insetBottom: 3, stroke: (d: { name: string }) => (picked.has(d.name) ? ink : "none"), strokeWidth: 2 }));
  else marks.push(Plot.dot(good, { x: "value", y: "name", fill: warm, r: 5 }));
  marks.push(
    Plot.link(good, { x1: "low", x2: "high", y1: "name", y2: "name", stroke: ink, strokeWidth: 2 }),
    Plot.tickX(good, { x: "low", y: "name", stroke: ink, insetTop: 8, insetBottom: 8 }),
    Plot.tickX(good, { x: "high", y: "name", stroke: ink, insetTop: 8, insetBottom: 8 }),
    Plot.text(data.filter((d) => !known(d)), { x: 0, y: "name", text: () => "too few to tell", textAnchor: "start", dx: 6, fill: "var(--quiet)" }),
  );
  return Plot.plot({
    width,
    height: rowsHigh(data.length),
    marginLeft: left,
    marginRight: 24,
    marginTop: TOP,
    marginBottom: BOTTOM,
    style: { background: "none", color: ink, fontSize: "13px" },
    x: { label: axisLabel(t.axis), labelOffset: 38, grid: true, percent: t.axis.percent, nice: true, labelAnchor: "center" },
    y: { label: null, domain: data.map((d) => d.name), padding: 0.15, tickFormat: (name: string) => cut(name, (left - 12) / 7) },
    marks,
  });
}

function Rows(props: { c: Chart & RowsChart; choose?: (row: number, track?: number) => void; chosen?: number[] }) {
  const { c, choose, chosen = [] } = props;
  return (
    <>
      {c.tracks.map((_, track) => (
        <Figure
          key={track}
          watch={c}
          also={chosen.join()}
          about={c.about ?? c.title}
          make={(w) => rowsTrack(c, track, w, chosen)}
          clicked={(e, at) => {
            const i = choose ? rowAt(c, e, at) : -1;
            if (i >= 0 && c.rows[i]?.marks.some(known)) choose?.(i, track);
          }}
        />
      ))}
      {choose && (
        <ul class="chips" aria-label="groups to compare">
          {c.rows.map((r, i) => (
            <li key={i}>
              <button type="button" class="chip" aria-pressed={chosen.includes(i)} disabled={!r.marks.some(known)} onClick={() => choose(i)}>
                {chosen.includes(i) ? ["A: ", "B: "][chosen.indexOf(i)] : ""}
                {rowName(c, i)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/* ---- pairs ------------------------------------------------------------------------------ */

function pairs(c: PairsChart, width: number): Element {
  const data = c.rows.flatMap((r) => [
    { at: r.value, side: c.inside, ...r.inside },
    { at: r.value, side: c.elsewhere, ...r.elsewhere },
  ]);
  const good = data.filter((d) => known(d));
  const crowded = c.rows.reduce((n, r) => n + 7 * r.value.length + 10, 60) > width;
  return Plot.plot({
    width,
    height: crowded ? 310 : 260,
    marginTop: 28,
    marginBottom: crowded ? 96 : 56,
    style: { background: "none", color: ink, fontSize: "12px" },
    fx: { label: axisLabel(c.x), labelOffset: crowded ? 92 : 50, domain: c.rows.map((r) => r.value), padding: 0.12, tickRotate: crowded ? -40 : 0 },
    x: { axis: null, domain: [c.inside, c.elsewhere], padding: 0.05 },
    y: { label: axisLabel(c.y), grid: true, percent: c.y.percent, nice: true },
    color: { domain: [c.inside, c.elsewhere], range: [warm, pale], legend: true },
    marks: [
      Plot.barY(good, { fx: "at", x: "side", y: "value", fill: "side", className: "sides", stroke: (d) => (d.side === c.inside ? warm : cool) }),
      Plot.ruleX(good, { fx: "at", x: "side", y1: "low", y2: "high", stroke: ink, strokeWidth: 1.5 }),
      Plot.ruleY([0], { stroke: "var(--line)" }),
    ],
  });
}

/* ---- lines ------------------------------------------------------------------------------ */

/** A histogram below a curve stands under it. */
const SIDES = { marginLeft: 48, marginRight: 20 };

function lines(c: LinesChart, width: number): Element {
  const data = c.series.flatMap((s) => s.dots.map((d) => ({ series: s.name ?? "", x: d.x, ...d.y })));
  const good = data.filter((d) => known(d));
  const many = c.series.length > 1;
  const names = c.stepped; // a stair up to the cap, each step with its name
  const steps = c.x.whole ? [...new Set(data.map((d) => Number(d.x)))].filter((_, i, all) => i % Math.ceil(all.length / 12) === 0) : undefined;
  const curve = Plot.plot({
    width,
    height: 290,
    marginTop: 28,
    marginBottom: 40,
    ...SIDES,
    style: { background: "none", color: ink, fontSize: "12px" },
    x: c.named ? { type: "point", label: axisLabel(c.x) } : { label: axisLabel(c.x), labelOffset: 36, nice: !c.x.whole, labelAnchor: "center", ticks: steps, tickFormat: c.x.whole ? (x: number) => (names ? (names[x - 1] ?? "") : String(x)) : undefined },
    y: { label: axisLabel(c.y), grid: true, percent: c.y.percent, nice: true, domain: names ? [0, 100] : undefined },
    color: many ? { legend: true } : undefined,
    marks: [
      c.named
        ? Plot.ruleX(good, { x: "x", y1: "low", y2: "high", stroke: ink })
        : Plot.areaY(good, { x: "x", y1: "low", y2: "high", z: "series", fill: many ? "series" : warm, fillOpacity: 0.22 }),
      ...(c.named
        ? [Plot.dot(good, { x: "x", y: "value", fill: many ? "series" : warm, symbol: many ? "series" : "circle", r: 5 })]
        : c.series.map((s, i) =>
            Plot.lineY(good.filter((d) => d.series === (s.name ?? "")), { x: "x", y: "value", stroke: many ? "series" : warm, strokeWidth: 2.5, strokeDasharray: dashes[i % dashes.length], curve: c.stepped ? "step-after" : "linear" }))),
      many && !c.named ? Plot.text(good.filter((d, i) => good[i + 1]?.series !== d.series), { x: "x", y: "value", text: "series", textAnchor: "end", dy: -10, fill: ink, stroke: "var(--card)", strokeWidth: 3 }) : null,
      names ? Plot.dot(good, { x: "x", y: "value", fill: warm, r: 4 }) : null,
      names ? Plot.ruleY([1], { stroke: ink, strokeWidth: 2, strokeDasharray: "7 4" }) : null,
      names ? Plot.text([1], { y: (d) => d, frameAnchor: "right", text: () => "all that may ever be spent", textAnchor: "end", dy: 12, dx: -4, fill: ink, stroke: "var(--card)", strokeWidth: 3 }) : null,
      Plot.ruleX(c.upright, { x: "x", stroke: ink, strokeDasharray: "4 3" }),
      Plot.text(c.upright, { x: "x", text: "label", frameAnchor: "top", dx: 6, textAnchor: "start" }),
    ],
  });
  if (c.strip.length === 0 || c.named) return curve;
  const both = document.createElement("div");
  both.append(
    curve,
    Plot.plot({
      width,
      height: 90,
      ...SIDES,
      style: { background: "none", color: ink, fontSize: "11px" },
      x: { domain: [...(curve.scale("x")?.domain ?? [])] as number[], label: null, axis: null },
      y: { label: "how many (private)", ticks: 2 },
      marks: [Plot.rectY(c.strip, { x1: "from", x2: "to", y: "height", fill: cool, fillOpacity: 0.5 })],
    }),
  );
  return both;
}

/* ---- heat ------------------------------------------------------------------------------- */

/** Around a map: a click is read with the same margins. */
const FRAME = { marginLeft: 44, marginRight: 20, marginTop: 26, marginBottom: 42 };

type Cell = { value: number | null; half: number | null };

/** A cell that its interval cannot tell from nothing: such are hatched. */
const mayBeNothing = (d: Cell) => d.value !== null && d.half !== null && d.value <= d.half;

function sayCell(d: Cell, c: HeatChart): string {
  if (d.value === null) return "not known";
  const half = d.half;
  if (half === null) return sayMark({ value: d.value, low: d.value, high: d.value }, c.value);
  const said = sayMark({ value: d.value, low: Math.max(0, d.value - half), high: d.value + half }, c.value);
  return mayBeNothing(d) ? `${said}: within its error of nothing` : said;
}

function heat(c: HeatChart, width: number): Element {
  const [x0, x1, y0, y1] = c.box;
  const rows = c.cells.length / c.columns;
  const cells = c.cells.map((value, i) => ({
    value,
    half: c.halves?.[i] ?? null,
    x1: x0 + ((i % c.columns) * (x1 - x0)) / c.columns,
    x2: x0 + (((i % c.columns) + 1) * (x1 - x0)) / c.columns,
    y1: y0 + (Math.floor(i / c.columns) * (y1 - y0)) / rows,
    y2: y0 + ((Math.floor(i / c.columns) + 1) * (y1 - y0)) / rows,
  }));
  return Plot.plot({
    width,
    height: Math.min(560, width),
    ...FRAME,
    style: { background: "none", color: ink, fontSize: "12px" },
    x: { domain: [x0, x1], label: axisLabel(c.x), labelAnchor: "center", labelOffset: 34 },
    y: { domain: [y0, y1], label: axisLabel(c.y) },
    color: { scheme: "YlOrBr", label: axisLabel(c.value), legend: true },
    marks: [
      Plot.rect(cells, { x1: "x1", x2: "x2", y1: "y1", y2: "y2", fill: "value", inset: 0, title: (d) => sayCell(d, c) }),
      Plot.link(cells.filter(mayBeNothing), { x1: "x1", x2: "x2", y1: "y1", y2: "y2", stroke: ink, strokeWidth: 0.8, className: "hatch", pointerEvents: "none" }),
      Plot.text(c.places, { x: "x", y: "y", text: "letter", fontWeight: "bold", fontSize: 15, stroke: "var(--paper)", fill: ink }),
    ],
  });
}

/** The point of the plane under a click. */
function pointAt(c: HeatChart, e: MouseEvent, at: Element): [number, number] | null {
  const figure = at.firstElementChild;
  const svg = figure instanceof SVGElement ? figure : figure?.querySelector("svg:last-of-type");
  const frame = svg?.getBoundingClientRect();
  if (!frame) return null;
  const [x0, x1, y0, y1] = c.box;
  const { marginLeft: left, marginRight: right, marginTop: top, marginBottom: bottom } = FRAME;
  const u = (e.clientX - frame.left - left) / (frame.width - left - right);
  const v = (e.clientY - frame.top - top) / (frame.height - top - bottom);
  if (u < 0 || u > 1 || v < 0 || v > 1) return null;
  return [x0 + u * (x1 - x0), y1 - v * (y1 - y0)];
}

/* ---- any -------------------------------------------------------------------------------- */

function Numbers({ c }: { c: Chart }) {
  if (c.chart === "rows")
    return (
      <table>
        <thead>
          <tr>
            {c.words.map((w) => <th key={w}>{w}</th>)}
            {c.tracks.map((t, i) => <th key={i} class="right">{axisLabel(t.axis)}</th>)}
          </tr>
        </thead>
        <tbody>
          {c.rows.map((r, i) => (
            <tr key={i}>
              {r.words.map((w, k) => <td key={k}>{w}</td>)}
              {r.marks.map((m, k) => <td key={k} class="right">{sayMark(m, c.tracks[k]!.axis)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    );
  if (c.chart === "pairs")
    return (
      <table>
        <thead>
          <tr><th>{axisLabel(c.x)}</th><th class="right">{c.inside}</th><th class="right">{c.elsewhere}</th></tr>
        </thead>
        <tbody>
          {c.rows.map((r) => (
            <tr key={r.value}>
              <td>{r.value}</td><td class="right">{sayMark(r.inside, c.y)}</td><td class="right">{sayMark(r.elsewhere, c.y)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    );
  return <p>{c.about}</p>;
}

/** A note that begins as a sentence does. */
export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function Picture(props: { c: Chart; choose?: (row: number, track?: number) => void; chosen?: number[]; point?: (x: number, y: number) => void }) {
  const { c, point } = props;
  return (
    <figure>
      <figcaption>{c.title}</figcaption>
      {c.chart === "rows" && <Rows c={c} choose={props.choose} chosen={props.chosen} />}
      {c.chart === "pairs" && <Figure watch={c} about={c.about ?? c.title} make={(w) => pairs(c, w)} />}
      {c.chart === "lines" && <Figure watch={c} about={c.about ?? c.title} make={(w) => lines(c, w)} />}
      {c.chart === "heat" && (
        <Figure
          watch={c}
          about={c.about ?? c.title}
          make={(w) => heat(c, w)}
          clicked={(e, at) => {
            const p = point && pointAt(c, e, at);
            if (p) point(p[0], p[1]);
          }}
        />
      )}
      {c.note && <p class="note">{sentence(c.note)}</p>}
      <details>
        <summary>The numbers</summary>
        <div class="scroll"><Numbers c={c} /></div>
      </details>
    </figure>
  );
}
