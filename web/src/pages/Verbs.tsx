/* Verbs.tsx — clusters, profiles, places and models: a form each, a price, a release. */
import { useState } from "preact/hooks";
import { type Plan, Price } from "../parts/Price";
import { go, useVault, type Vault } from "../shell";
import { BudgetFields } from "./Ask";

type Field = {
  name: string;
  label: string;
  kind: "columns" | "column" | "choice" | "text" | "release";
  choices?: [string, string][];
  start?: string;
  optional?: boolean;
  numbers?: boolean;
};

export type VerbPage = { place: string; title: string; verb: string; about: string; fields: Field[]; fixed?: Plan };

export const verbPages: VerbPage[] = [
  {
    place: "clusters",
    title: "Clusters",
    verb: "cluster",
    about: "Groups of alike people, as a rule that anybody can apply, with private sizes and centres. How many there are is found out when you do not say.",
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
    fields: [
      { name: "clustering", label: "Clustering (c1, or rules as JSON)", kind: "release", start: '{"rules": ["age < 40", "age < 70"]}' },
      { name: "columns", label: "Look at these columns only", kind: "columns", optional: true },
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

function AField(props: { f: Field; vault: Vault; value: string; set: (v: string) => void }) {
  const { f, value, set } = props;
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
  const start = Object.fromEntries(verb.fields.map((f) => [f.name, f.kind === "release" && which ? which : (f.start ?? "")]));
  const [values, setValues] = useState<Plan>(start);
  const [aim, setAim] = useState<"epsilon" | "rho" | "error">("epsilon");
  const [amount, setAmount] = useState("1");
  if (!vault) return <p class="quiet">Reading the schema…</p>;
  const complete = verb.fields.every((f) => f.optional || values[f.name]);
  const given = Object.fromEntries(Object.entries(values).filter(([, v]) => v !== ""));
  const plan: Plan | null = complete && amount ? { verb: verb.verb, ...verb.fixed, ...given, [aim]: amount } : null;
  return (
    <section>
      <h1>{verb.title}</h1>
      <p>{verb.about}</p>
      <div class="fields">
        {verb.fields.map((f) => (
          <AField key={f.name} f={f} vault={vault} value={values[f.name] ?? ""} set={(v) => setValues({ ...values, [f.name]: v })} />
        ))}
      </div>
      <BudgetFields aim={aim} amount={amount} set={(a, n) => { setAim(a); setAmount(n); }} />
      <Price plan={plan} paid={(id) => go("releases/" + id)} />
    </section>
  );
}
