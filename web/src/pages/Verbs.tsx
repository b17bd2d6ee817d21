/* Verbs.tsx — clusters, profiles, places and models: a form each, a price, a release. */
import { useDraft } from "../draft";
import { type Plan, Price, Sorry } from "../parts/Price";
import { go, useVault, type Vault } from "../shell";
import { BudgetFields, means, paying } from "./Ask";
import { type Entry, told, useStory } from "./Books";

type Field = {
  name: string;
  label: string;
  kind: "columns" | "column" | "choice" | "text" | "release";
  choices?: [string, string][];
  start?: string;
  optional?: boolean;
  numbers?: boolean;
};

/** `opens`: what was paid for before and can be opened here; `missing`: what is still to be said. */
export type VerbPage = { place: string; title: string; verb: string; about: string; opens: string; missing: string; fields: Field[]; fixed?: Plan };

export const verbPages: VerbPage[] = [
  {
    place: "clusters",
    title: "Clusters",
    verb: "cluster",
    about: "Groups of alike people, as a rule that anybody can apply, with private sizes and centres. How many there are is found out when you do not say; then a curve tells how well each number would do.",
    opens: "Open a clustering",
    missing: "tick two columns or more in which people shall be alike",
    fields: [
      { name: "columns", label: "Alike in", kind: "columns", numbers: true },
      { name: "clusters", label: "How many (empty: find out)", kind: "text", optional: true },
      { name: "method", label: "Method", kind: "choice", choices: [["refined", "refined (best)"], ["dpm", "dpm (the paper)"], ["lsh", "lsh"], ["lloyd", "lloyd"], ["grid", "grid"]], start: "refined" },
    ],
  },
  {
    place: "places",
    title: "Places",
    verb: "contrast",
    about: "Centres for everybody, from a private summary of where people are. Then, free for ever: what would it cost to put one here?",
    opens: "Open a map",
    missing: "tick the two columns that are the coordinates",
    fields: [
      { name: "columns", label: "Coordinates", kind: "columns", numbers: true },
      { name: "centres", label: "How many centres", kind: "text", start: "3" },
      { name: "objective", label: "Least", kind: "choice", choices: [["median", "total distance"], ["means", "total squared distance"]], start: "median" },
    ],
  },
  {
    place: "profiles",
    title: "Profiles",
    verb: "profile",
    about: "What tells each cluster apart: the attribute that does it best, and its histogram inside and elsewhere.",
    opens: "Open a profile",
    missing: "choose a clustering",
    fields: [
      { name: "clustering", label: "Clustering", kind: "release" },
      { name: "columns", label: "Look at these columns only (none ticked: at all)", kind: "columns", optional: true },
      { name: "per_cluster", label: "Attributes for each cluster", kind: "choice", choices: [["1", "one"], ["2", "two"], ["3", "three"]], start: "1" },
    ],
  },
];

function ColumnsField(props: { f: Field; vault: Vault; value: string; set: (v: string) => void }) {
  const all = props.f.numbers ? props.vault.numbers : props.vault.columns;
  const chosen = props.value === "" ? [] : props.value.split(",");
  const turn = (c: string) =>
    props.set((chosen.includes(c) ? chosen.filter((x) => x !== c) : [...chosen, c]).join(","));
  return (
    <fieldset>
      <legend>{props.f.label}</legend>
      {all.map((c) => (
        <label key={c} class="tick">
          <input type="checkbox" checked={chosen.includes(c)} onChange={() => turn(c)} /> {c}
        </label>
      ))}
    </fieldset>
  );
}

/** A clustering that was released, or rules of one's own: who meets the first is in cluster 0, and so on. */
function ClusteringField({ value, set, known }: { value: string; set: (v: string) => void; known: Entry[] }) {
  const own = value.startsWith("{");
  return (
    <>
      <label>
        Clustering
        <select value={own ? "{" : value} onChange={(e) => set((e.target as HTMLSelectElement).value === "{" ? '{"rules": ["age < 40", "age < 70"]}' : (e.target as HTMLSelectElement).value)}>
          <option value="">choose…</option>
          {known.map((r) => <option key={r.release} value={r.release}>{r.release}: {r.what}, by {r.by}</option>)}
          {!own && value && !known.some((r) => r.release === value) && <option value={value}>{value}</option>}
          <option value="{">rules of my own</option>
        </select>
      </label>
      {own && <label class="long">Rules, as JSON; a row belongs to the first that it meets<input value={value} onInput={(e) => set("{" + (e.target as HTMLInputElement).value.replace(/^\s*\{?/, ""))} /></label>}
    </>
  );
}

function AField(props: { f: Field; vault: Vault; value: string; set: (v: string) => void; known: Entry[] }) {
  const { f, value, set } = props;
  if (f.kind === "release") return <ClusteringField {...props} />;
  if (f.kind === "columns") return <ColumnsField {...props} />;
  const options: [string, string][] | undefined =
    f.kind === "choice" ? f.choices : f.kind === "column" ? (f.numbers ? props.vault.numbers : props.vault.columns).map((c) => [c, c]) : undefined;
  return (
    <label>
      {f.label}
      {options ? (
        <select value={value} onChange={(e) => set((e.target as HTMLSelectElement).value)}>
          {f.kind === "column" && <option value="">choose…</option>}
          {options.map(([v, word]) => <option key={v} value={v}>{word}</option>)}
        </select>
      ) : (
        <input value={value} onInput={(e) => set((e.target as HTMLInputElement).value)} />
      )}
    </label>
  );
}

export function Verbs({ verb, which }: { verb: VerbPage; which?: string }) {
  const vault = useVault();
  const start = Object.fromEntries(verb.fields.map((f) => [f.name, f.start ?? ""]));
  const [draft, setValues] = useDraft<Plan>(verb.place, start);
  const [money, setMoney] = useDraft(verb.place + ".means", means("1"));
  const [story, why] = useStory("releases");
  if (!vault) return <p class="quiet">Reading the schema…</p>;
  const entries: Entry[] = story?.data.rows ?? [];
  const before = entries.filter((r) => r.kind === verb.verb).reverse();
  const asked = verb.fields.find((f) => f.kind === "release")?.name;
  const values: Plan = asked && which && !draft[asked] ? { ...draft, [asked]: which } : draft;
  const complete = verb.fields.every((f) => f.optional || values[f.name]);
  const given = Object.fromEntries(Object.entries(values).filter(([, v]) => v !== ""));
  const pay = paying(money);
  const plan: Plan | null = complete && pay ? { verb: verb.verb, ...verb.fixed, ...given, ...pay } : null;
  return (
    <section>
      <h1>{verb.title}</h1>
      <p>{verb.about}</p>
      <Sorry why={why} />
      {before.length > 0 && (
        <section class="opens" aria-label={verb.opens}>
          <h2>{verb.opens} <span class="quiet">(free)</span></h2>
          <ul class="list">
            {before.map((r) => <li key={r.release}><a href={"#/releases/" + r.release}><b>{r.release}</b> {told(r)}</a> <span class="quiet">by {r.by}</span></li>)}
          </ul>
        </section>
      )}
      {before.length > 0 && <h2>Or make a new one</h2>}
      <div class="bench">
        <div>
          <div class="fields">
            {verb.fields.map((f) => (
              <AField key={f.name} f={f} vault={vault} value={values[f.name] ?? ""} known={entries.filter((r) => r.kind === "cluster").reverse()} set={(v) => setValues({ ...values, [f.name]: v })} />
            ))}
          </div>
          <BudgetFields means={money} set={setMoney} />
        </div>
        <Price plan={plan} missing={complete ? undefined : verb.missing} paid={(id) => go("releases/" + id)} />
      </div>
    </section>
  );
}
