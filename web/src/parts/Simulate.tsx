/* Simulate.tsx — the noise of a released answer, drawn again and again, so that people see what
 * an interval means. Only what was released goes in: this costs nothing and tells nothing new. */
import { useEffect, useState } from "preact/hooks";
import type { RowsChart } from "../api";
import { Picture } from "./charts";

/** A normal draw, by the sum of twelve: this is a picture, not a mechanism. */
function normal(): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += Math.random();
  return sum;
}

export function Simulate({ chart }: { chart: RowsChart }) {
  const [turn, setTurn] = useState(0);
  const [running, setRunning] = useState(false);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setTurn((t) => t + 1), 900);
    return () => clearInterval(timer);
  }, [running]);
  const rows = chart.rows.map((r) => ({
    words: r.words,
    marks: r.marks.slice(0, 1).map((m) => {
      if (turn === 0 || m.unknown || m.low == null || m.high == null || m.value == null) return m;
      const half = (m.high - m.low) / 2;
      const shift = (half / 1.96) * normal();
      return { value: m.value + shift, low: m.low + shift, high: m.high + shift };
    }),
  }));
  return (
    <section class="drawer" aria-label="simulation">
      <p>
        If the true numbers were the released ones, the same question with fresh noise would have been answered like this. It is
        computed from the release alone, costs nothing and says nothing new about anybody.
      </p>
      <Picture
        c={{ ...chart, block: "chart", tracks: chart.tracks.slice(0, 1), rows, title: turn === 0 ? "As it was released" : `Redraw ${turn}`, about: "a simulated redraw" }}
      />
      <p class="actions">
        <button type="button" onClick={() => setTurn(turn + 1)}>draw again</button>
        <button type="button" onClick={() => setRunning(!running)}>{running ? "stop" : "keep drawing"}</button>
      </p>
    </section>
  );
}
