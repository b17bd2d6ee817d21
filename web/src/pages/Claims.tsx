/* Claims.tsx — what the running program promises, for an auditor. */
import { useDraft } from "../draft";
import { Sorry } from "../parts/Price";
import { useStory } from "./Books";

type Claim = Record<"id" | "claim" | "file" | "proof" | "state" | "source" | "law" | "test" | "silent", string>;

const facts: [keyof Claim, string][] = [
  ["law", "law"],
  ["file", "mechanism"],
  ["proof", "proof"],
  ["source", "source"],
  ["test", "test"],
  ["silent", "silent about"],
];

function Card({ c }: { c: Claim }) {
  return (
    <details>
      <summary><b>{c.id}</b> <span class="quiet">{c.state}</span></summary>
      <p>{c.claim}</p>
      <dl>
        {facts.filter(([k]) => c[k]).map(([k, label]) => (
          <div key={k}><dt>{label}</dt><dd class={k === "law" ? "law" : undefined}>{k === "proof" ? `${c.proof} (${c.state})` : c[k]}</dd></div>
        ))}
      </dl>
    </details>
  );
}

export function Claims() {
  const [story, why] = useStory("claims");
  const [word, setWord] = useDraft("claims", "");
  if (why) return <Sorry why={why} />;
  if (!story) return <p class="quiet">Reading the claims…</p>;
  const all: Claim[] = story.data.rows ?? [];
  const rows = all.filter((c) => Object.values(c).some((text) => text.toLowerCase().includes(word.trim().toLowerCase())));
  return (
    <section>
      <h1>Claims</h1>
      <p>
        What jali {story.data.version} promises, from the program that answers here: for each mechanism the guarantee and its price, the law of
        what is drawn, the proof, and the test that would refute it.
      </p>
      <div class="fields"><label>Only those that say<input type="search" value={word} onInput={(e) => setWord((e.target as HTMLInputElement).value)} /></label></div>
      <p class="quiet" role="status">{rows.length === 0 ? `No claim says "${word.trim()}".` : `${rows.length} of ${all.length} claims`}</p>
      <div class="claims">{rows.map((c) => <Card key={c.id} c={c} />)}</div>
    </section>
  );
}
