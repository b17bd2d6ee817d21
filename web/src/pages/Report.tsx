/* Report.tsx — releases chosen for one page, to be kept or sent: answers, costs, guarantee, hashes. */
import { useBasket } from "../basket";
import { Sorry } from "../parts/Price";
import { Story } from "../parts/Story";
import { useSession } from "../shell";
import { useStory } from "./Books";

function Chosen({ ids, set }: { ids: string[]; set: (list: string[]) => void }) {
  const move = (i: number, by: number) => {
    const next = [...ids];
    const [one] = next.splice(i, 1);
    next.splice(i + by, 0, one!);
    set(next);
  };
  return (
    <ol class="list" aria-label="what stands in the report">
      {ids.map((id, i) => (
        <li key={id}>
          <a href={"#/releases/" + id}><b>{id}</b></a>{" "}
          <span class="actions inline">
            <button type="button" class="link" disabled={i === 0} onClick={() => move(i, -1)}>earlier<span class="hidden"> {id}</span></button>
            <button type="button" class="link" disabled={i === ids.length - 1} onClick={() => move(i, 1)}>later<span class="hidden"> {id}</span></button>
            <button type="button" class="link" onClick={() => set(ids.filter((x) => x !== id))}>take out<span class="hidden"> {id}</span></button>
          </span>
        </li>
      ))}
    </ol>
  );
}

function Preview({ query }: { query: string }) {
  const [story, why] = useStory("report?" + query);
  if (why) return <Sorry why={why} />;
  return story ? <Story page={story} /> : <p class="quiet">Writing the report…</p>;
}

export function Report() {
  const session = useSession();
  const [ids, set] = useBasket(session?.vault ?? "");
  const query = ids.length > 0 ? "ids=" + ids.join(",") : "";
  return (
    <section>
      <h1>Report</h1>
      <p>Releases as one page that works without network and names its costs, its guarantee and its place in the ledger. Free: it tells what was paid for.</p>
      {ids.length === 0 ? (
        <p class="quiet">You have chosen nothing yet (a release has “add to report”), so all releases are told.</p>
      ) : (
        <Chosen ids={ids} set={set} />
      )}
      <p class="actions">
        {[["html", "Save as a page (HTML)"], ["md", "Save as Markdown"], ["json", "Save as JSON"]].map(([f, word]) => (
          <a key={f} href={`/api/v1/report?format=${f}${query ? "&" + query : ""}`} download={`report.${f}`}>{word}</a>
        ))}
        {ids.length > 0 && <button type="button" class="link" onClick={() => set([])}>choose nothing</button>}
      </p>
      <h2>What will stand in it</h2>
      <Preview query={query} />
    </section>
  );
}
