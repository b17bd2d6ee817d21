/* Clusters.tsx — a clustering: how many there are, and a card for each, with what tells it apart if somebody has paid for that. */
import { useEffect, useState } from "preact/hooks";
import { type Chart, type Page, page, type PairsChart, type Refusal, type RowsChart } from "../api";
import { type Entry, useStory } from "../pages/Books";
import { useSession } from "../shell";
import { Picture, sayMark } from "./charts";
import { Sorry } from "./Price";
import { Story } from "./Story";

/** The latest profile of a clustering, at the confidence that is looked at. */
function useProfile(id: string, confidence: string): { profile: Page | null; name: string; none: boolean; why: Refusal | null } {
  const [list, listWhy] = useStory("releases");
  const [profile, setProfile] = useState<Page | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  const found = (list?.data.rows as Entry[] | undefined)?.filter((r) => r.kind === "profile" && r.what === id).pop();
  const name = found?.release ?? "";
  useEffect(() => {
    if (name) page(`releases/${encodeURIComponent(name)}?confidence=${confidence}`).then(setProfile, setWhy);
  }, [name, confidence]);
  return { profile, name, none: !!list && !found, why: listWhy ?? why };
}

function Card({ row, axis, pairs }: { row: RowsChart["rows"][number]; axis: RowsChart["tracks"][number]["axis"]; pairs: (Chart & PairsChart)[] }) {
  const [label, centre] = row.words;
  return (
    <section class="card" aria-label={`cluster ${label}`}>
      <h3>Cluster {label}</h3>
      <p class="size">{row.marks[0] ? sayMark(row.marks[0], axis) : "?"} {axis.name}</p>
      {centre && <p class="quiet">around {centre}</p>}
      {pairs.map((p, i) => <Picture key={i} c={p} />)}
    </section>
  );
}

export function Clusters({ id, page: story, confidence }: { id: string; page: Page; confidence: string }) {
  const { profile, name, none, why } = useProfile(id, confidence);
  const session = useSession();
  const sizes = story.blocks.find((b): b is Chart & RowsChart => b?.block === "chart" && b.chart === "rows");
  const pairs = (profile?.blocks ?? []).filter((b): b is Chart & PairsChart => b?.block === "chart" && b.chart === "pairs");
  // The cards have the centres: beside a bar there is room for a number only.
  const short = story.blocks.map((b) => (b && b === sizes ? { ...sizes, words: ["cluster"], rows: sizes.rows.map((r) => ({ ...r, words: ["cluster " + r.words[0]] })) } : b));
  return (
    <>
      <Story page={{ ...story, blocks: short }} without={["cost", "left"]} />
      <Sorry why={why} />
      {sizes && (
        <>
          <h2>Each cluster</h2>
          {none && session?.role !== "auditor" && (
            <p class="banner">
              Who is in them, beyond where they are? <a href={"#/profiles/" + id}>What tells these clusters apart?</a> shows the price first; then each card has a sentence, and the histograms
              inside and elsewhere.
            </p>
          )}
          {name && <p class="quiet">What tells them apart is of <a href={"#/releases/" + name}>{name}</a>, paid for on its own.</p>}
          <div class="cards">
            {sizes.rows.map((r) => <Card key={r.words[0]} row={r} axis={sizes.tracks[0]!.axis} pairs={pairs.filter((p) => p.inside === `cluster ${r.words[0]}`)} />)}
          </div>
        </>
      )}
    </>
  );
}
