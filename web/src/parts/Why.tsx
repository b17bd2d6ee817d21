/* Why.tsx — the table of reasons: each a predicate, with its influence and its rank as intervals.
 * Sorting and drawing are done here; every number was released. */
import { useState } from "preact/hooks";
import type { Axis, Chart, Mark, RowsChart, Session } from "../api";
import { keepDraft, kept, nothing } from "../draft";
import { go, useSession } from "../shell";
import { sayMark, sentence, show } from "./charts";

type Row = RowsChart["rows"][number];
type Way = { track: number; down: boolean };

function bounds(rows: Row[], track: number): [number, number] {
  const all = rows.flatMap((r) => [r.marks[track]?.low, r.marks[track]?.high, r.marks[track]?.value]).filter((x): x is number => typeof x === "number");
  return [Math.min(0, ...all), Math.max(0, ...all)];
}

/** An interval as a line with a dot, and a thin line at zero. */
function Interval({ m, from, to }: { m: Mark; from: number; to: number }) {
  const at = (x: number) => 4 + (132 * (x - from)) / (to - from || 1);
  if (typeof m.low !== "number" || typeof m.high !== "number") return null;
  return (
    <svg class="interval" width="140" height="18" viewBox="0 0 140 18" aria-hidden="true">
      <line class="zero" x1={at(Math.max(from, Math.min(to, 0)))} x2={at(Math.max(from, Math.min(to, 0)))} y1="1" y2="17" />
      <line x1={at(m.low)} x2={at(m.high)} y1="9" y2="9" />
      <line x1={at(m.low)} x2={at(m.low)} y1="4" y2="14" />
      <line x1={at(m.high)} x2={at(m.high)} y1="4" y2="14" />
      {typeof m.value === "number" && <circle cx={at(m.value)} cy="9" r="4" />}
    </svg>
  );
}

function say(m: Mark, a: Axis): string {
  if (m.unknown) return "too few to tell";
  if (typeof m.value === "number") return sayMark(m, a);
  return m.low === m.high ? show(m.low, a) : `${show(m.low, a)} to ${show(m.high, a)}`;
}

/** Asks with this predicate: the rest of the question is still to be chosen. */
function askWith(who: Session | null, predicate: string) {
  keepDraft(who, "ask", { ...kept(who, "ask", nothing), written: false, where: predicate });
  go("ask");
}

function key(r: Row, w: Way): number {
  const m = r.marks[w.track];
  return (typeof m?.value === "number" ? m.value : ((m?.low ?? 0) + (m?.high ?? 0)) / 2) * (w.down ? -1 : 1);
}

export function WhyTable({ c, predicates }: { c: Chart & RowsChart; predicates: number }) {
  const who = useSession();
  const [way, setWay] = useState<Way | null>(null);
  const rows = way ? [...c.rows].sort((a, b) => key(a, way) - key(b, way)) : c.rows;
  const scale = c.tracks.map((_, i) => bounds(c.rows, i));
  const turn = (track: number) => setWay({ track, down: way?.track === track ? !way.down : track === 0 });
  const sorted = (track: number) => (way?.track !== track ? "none" : way.down ? "descending" : "ascending");
  return (
    <figure class="why">
      <figcaption>{c.title}</figcaption>
      <div class="scroll" tabIndex={0} role="group" aria-label="reasons">
        <table>
          <thead>
            <tr>
              <th scope="col">{c.words.join(", ")}</th>
              {c.tracks.map((t, i) => (
                <th key={i} scope="col" aria-sort={sorted(i)}>
                  <button type="button" class="link" onClick={() => turn(i)}>
                    {t.axis.name} <span aria-hidden="true">{way?.track !== i ? "↕" : way.down ? "↓" : "↑"}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.words.join()}>
                <th scope="row">
                  <button type="button" class="chip" title="ask with this condition" onClick={() => askWith(who, r.words.join(" AND "))}>{r.words.join(" AND ")}</button>
                </th>
                {r.marks.map((m, i) => (
                  <td key={i}>
                    <Interval m={m} from={scale[i]![0]} to={scale[i]![1]} />
                    <span class="numbers">{say(m, c.tracks[i]!.axis)}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">
        {c.note ? sentence(c.note) + ". " : ""}
        {predicates > 0 ? `Ranks are among all ${predicates.toLocaleString("en")} conditions that were looked at. ` : ""}
        {who?.role !== "auditor" ? "Press a condition to ask with it." : ""}
      </p>
    </figure>
  );
}
