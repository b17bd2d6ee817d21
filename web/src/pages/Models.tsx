/* Models.tsx — how a registered model uses the columns: curves with bands, importance. */
import { useDraft } from "../draft";
import { type Plan, Price, Sorry } from "../parts/Price";
import { go, useSession } from "../shell";
import { BudgetFields, means, paying } from "./Ask";
import { type Entry, told, useStory } from "./Books";

type Model = { name: string; kind: string; declared: string; bounds: string; columns: string[]; label?: string };

/** What it is called, what it tells, and whether it is a curve over a column. */
const views: [string, string, string, boolean][] = [
  ["pdp", "partial dependence (PDP)", "its mean output, if everybody had this value", true],
  ["ale", "local effects (ALE)", "how its output moves among those who have about this value", true],
  ["pfi", "importance", "how much worse it gets when a column is shuffled", false],
];

function Empty() {
  const session = useSession();
  return (
    <p class="quiet">
      No model is registered.{" "}
      {session?.role === "curator" ? "You register one on the server's machine: " : "The curator registers one: "}
      <code>jali model VAULT add NAME --model …</code>
    </p>
  );
}

/** Portraits that were paid for. */
function Portraits() {
  const [story] = useStory("releases");
  const rows = ((story?.data.rows ?? []) as Entry[]).filter((r) => r.kind === "model").reverse();
  if (rows.length === 0) return null;
  return (
    <section class="opens" aria-label="Open a portrait">
      <h2>Open a portrait <span class="quiet">(free)</span></h2>
      <ul class="list">{rows.map((r) => <li key={r.release}><a href={"#/releases/" + r.release}><b>{r.release}</b> {told(r)}</a> <span class="quiet">by {r.by}</span></li>)}</ul>
    </section>
  );
}

export function Models() {
  const [story, why, again] = useStory("models");
  const [draft, setDraft] = useDraft("models", { name: "", what: "pdp", feature: "" });
  const [money, setMoney] = useDraft("models.means", means("1"));
  const set = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  if (why) return <Sorry why={why} again={again} />;
  if (!story) return <p class="quiet">Reading the models…</p>;
  const models: Model[] = story.data.rows ?? [];
  const model = models.find((m) => m.name === draft.name) ?? models[0];
  const offered = views.filter(([w]) => w !== "pfi" || model?.label);
  const what = offered.some(([w]) => w === draft.what) ? draft.what : "pdp";
  const curve = views.find(([w]) => w === what)?.[3] ?? true;
  const column = model?.columns?.includes(draft.feature) ? draft.feature : (model?.columns?.[0] ?? "");
  const pay = paying(money);
  const plan: Plan | null = model && pay && (!curve || column) ? { verb: "model", what, model: model.name, ...(curve ? { feature: column } : {}), ...pay } : null;
  return (
    <section>
      <h1>Models</h1>
      <p>How a model uses the people of this table. The model itself is the curator’s; its portrait has noise, and its bands say how much.</p>
      {!model && <Empty />}
      {model && (
        <>
          <p class="quiet">
            <b>{model.name}</b> is {/^[aeiou]/.test(model.kind) ? "an" : "a"} {model.kind}, declared {model.declared}. It is fed {(model.columns ?? []).join(", ")}; its output is cut to {model.bounds.replace(":", " to ")}
            {model.label ? `; it predicts ${model.label}.` : ". The curator has not said what it predicts (a label), so its importance cannot be shown."}
          </p>
          <div class="bench">
            <div>
              <div class="fields">
                <label>Model<select value={model.name} onChange={(e) => set({ name: (e.target as HTMLSelectElement).value })}>{models.map((m) => <option key={m.name}>{m.name}</option>)}</select></label>
                {curve && <label>Column of the curve<select value={column} onChange={(e) => set({ feature: (e.target as HTMLSelectElement).value })}>{(model.columns ?? []).map((c) => <option key={c}>{c}</option>)}</select></label>}
              </div>
              <fieldset>
                <legend>Show</legend>
                {offered.map(([w, word, words]) => (
                  <label key={w} class="choice"><input type="radio" name="view" checked={what === w} onChange={() => set({ what: w })} /> <span><b>{word}</b>: {words}</span></label>
                ))}
              </fieldset>
              <BudgetFields means={money} set={setMoney} />
            </div>
            <Price plan={plan} paid={(id) => go("releases/" + id)} />
          </div>
          <Portraits />
        </>
      )}
    </section>
  );
}
