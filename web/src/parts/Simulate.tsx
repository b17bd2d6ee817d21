/* Simulate.tsx — the noise of a released answer, drawn again and again, so that people see what
 * an interval means. Only what was released goes in: this costs nothing and tells nothing new. */
import { useEffect, useState } from "preact/hooks";
import type { Mark, RowsChart } from "../api";
import { Picture } from "./charts";

/** A normal draw, by the sum of twelve: this is a picture, not a mechanism. */
function normal(): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += Math.random();
  return sum;
}

/** A draw of the law that is as steep on both sides. */
function laplace(): number {
  return Math.log(1 - Math.random()) * (Math.random() < 0.5 ? 1 : -1);
}

/** How many units of its law an interval reaches to each side. */
function reach(confidence: number, steep: boolean): number {
  if (steep) return -Math.log(1 - confidence);
  let low = 0, high = 8;
  const inside = (z: number) => {
    let sum = 0;
    for (let i = 0; i < 400; i++) sum += Math.exp(-((((i + 0.5) * z) / 400) ** 2) / 2);
    return (2 * sum * z) / 400 / Math.sqrt(2 * Math.PI);
  };
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (inside(middle) < confidence) low = middle;
    else high = middle;
  }
  return low;
}

function redraw(m: Mark, z: number, steep: boolean): Mark {
  if (m.unknown || m.low == null || m.high == null || m.value == null) return m;
  const shift = ((m.high - m.low) / 2 / z) * (steep ? laplace() : normal());
  return { value: m.value + shift, low: m.low + shift, high: m.high + shift };
}

export function Simulate({ chart, confidence, mechanism }: { chart: RowsChart; confidence: number; mechanism: string }) {
  const steep = mechanism.includes("Laplace") && !mechanism.includes("Gaussian");
  const [turn, setTurn] = useState(0);
  const [rows, setRows] = useState(chart.rows);
  const [seen, setSeen] = useState({ drawn: 0, covered: 0 });
  const [running, setRunning] = useState(false);
  const draw = (times: number) => {
    const z = reach(confidence, steep);
    let next = rows, drawn = 0, covered = 0;
    for (let t = 0; t < times; t++) {
      next = chart.rows.map((r) => ({ words: r.words, marks: r.marks.slice(0, 1).map((m) => redraw(m, z, steep)) }));
      next.forEach((r, i) => {
        const truth = chart.rows[i]?.marks[0]?.value, m = r.marks[0];
        if (truth == null || m?.low == null || m.high == null) return;
        drawn++;
        if (m.low <= truth && truth <= m.high) covered++;
      });
    }
    setRows(next);
    setTurn((n) => n + times);
    setSeen((s) => ({ drawn: s.drawn + drawn, covered: s.covered + covered }));
  };
  useEffect(() => {
    setRows(chart.rows);
    setTurn(0);
    setSeen({ drawn: 0, covered: 0 });
  }, [chart]);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => draw(1), 900);
    return () => clearInterval(timer);
  }, [running, chart]);
  return (
    <section class="drawer" aria-label="simulation">
      <p>
        If the true numbers were the released ones, the same question with fresh noise would have been answered like this. It is
        computed from the release alone (post-processing), costs nothing and says nothing new about anybody. The noise here has the
        shape of the release's own: {steep ? "Laplace" : "Gaussian"}.
      </p>
      <Picture
        c={{ ...chart, block: "chart", tracks: chart.tracks.slice(0, 1), rows, title: turn === 0 ? "As it was released" : `Redraw ${turn}`, about: "a simulated redraw" }}
      />
      {seen.drawn > 0 && (
        <p role="status">
          Of {seen.drawn} intervals {seen.covered} held the number they were drawn around: {((100 * seen.covered) / seen.drawn).toFixed(1)}%, where {100 * confidence}% is promised.
        </p>
      )}
      <p class="actions">
        <button type="button" onClick={() => draw(1)}>draw again</button>
        <button type="button" onClick={() => draw(100)}>draw a hundred times</button>
        <button type="button" onClick={() => setRunning(!running)}>{running ? "stop" : "keep drawing"}</button>
      </p>
    </section>
  );
}
