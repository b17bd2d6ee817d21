/* Story.tsx — any document, piece by piece. */
import { type ComponentChildren, Fragment } from "preact";
import type { Block, Page } from "../api";
import { Picture } from "./charts";
import { WhyTable } from "./Why";

type Facts = Extract<Block, { block: "fact" }>[];

function Table({ t }: { t: Extract<Block, { block: "table" }> }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="table">
      <table>
        <thead>
          <tr>{t.columns.map((c, i) => (c.name ? <th key={i} scope="col" class={c.right ? "right" : ""}>{c.name}</th> : <td key={i} />))}</tr>
        </thead>
        <tbody>
          {t.rows.map((r, i) => (
            <tr key={i}>{r.map((cell, k) => <td key={k} class={t.columns[k]?.right ? "right" : ""}>{cell}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Meter({ m }: { m: Extract<Block, { block: "meter" }> }) {
  return (
    <p class="meter">
      <span>{m.label}</span>
      <meter min={0} max={1} value={m.share} aria-label={`${m.label}: ${m.text}`} />
      <span>{m.text}</span>
    </p>
  );
}

/** The words of the terminal, as a page says them: no options, and numbers with all their digits. */
const plain = (text: string) =>
  text.replaceAll("--epsilon ", "epsilon ").replace(/-?\d+(\.\d+)?e\+\d+/g, (n) => Number(n).toLocaleString("en", { maximumFractionDigits: 0 }));

/** Facts that follow each other are one list. */
function grouped(blocks: Block[]): (Block | Facts)[] {
  const out: (Block | Facts)[] = [];
  for (const b of blocks) {
    const last = out[out.length - 1];
    if (b.block !== "fact") out.push(b);
    else if (Array.isArray(last)) last.push(b);
    else out.push([b]);
  }
  return out;
}

export function Story(props: {
  page: Page;
  choose?: (row: number, track?: number) => void;
  chosen?: number[];
  after?: ComponentChildren; // what follows the first picture
  point?: (x: number, y: number) => void;
  without?: string[];
}) {
  const blocks = props.page.blocks.filter((b) => b && !(b.block === "fact" && props.without?.includes(b.label)));
  let first = true;
  return (
    <article class={"story story-" + props.page.kind}>
      {grouped(blocks).map((b, i) => {
        if (Array.isArray(b))
          return (
            <dl key={i}>
              {b.map((f, k) => (
                <div key={k}><dt>{f.label}</dt><dd>{plain(f.text)}</dd></div>
              ))}
            </dl>
          );
        if (b.block === "heading") return <h2 key={i}>{b.text}</h2>;
        if (b.block === "say") return <p key={i}>{b.text}</p>;
        if (b.block === "meter") return <Meter key={i} m={b} />;
        if (b.block === "table" && props.page.kind === "model" && b.rows.length > 8)
          return <details key={i} class="fold"><summary>All {b.rows.length} points, with their intervals</summary><Table t={b} /></details>;
        if (b.block === "table") return <Table key={i} t={b} />;
        if (b.block !== "chart") return null;
        if (props.page.kind === "why" && b.chart === "rows" && b.tracks.length > 1) return <WhyTable key={i} c={b} predicates={Number(props.page.data?.predicates)} />;
        const foremost = first;
        first = false;
        return (
          <Fragment key={i}>
            <Picture c={b} choose={foremost && b.chart === "rows" ? props.choose : undefined} chosen={props.chosen} point={props.point} />
            {foremost && props.after}
          </Fragment>
        );
      })}
    </article>
  );
}
