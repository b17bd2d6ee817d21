/* Models.tsx — how a registered model uses the columns: curves with bands, importance. */
import { useState } from "preact/hooks";
import { type Plan, Price, Sorry } from "../parts/Price";
import { go, useSession } from "../shell";
import { BudgetFields } from "./Ask";
import { useStory } from "./Books";

type Model = { name: string; kind: string; declared: string; bounds: string; columns: string[]; label?: string };

const views: [string, string, boolean][] = [
  ["pdp", "partial dependence: its output, if everybody had this value", true],
  ["ale", "local effects: how the output moves among those who have about this value", true],
  ["pfi", "importance: how much worse it gets when a column is shuffled", false],
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

export function Models() {
  const [story, why] = useStory("models");
  const [name, setName] = useState("");
  const [what, setWhat] = useState("pdp");
  const [feature, setFeature] = useState("");
  const [aim, setAim] = useState<"epsilon" | "rho" | "error">("epsilon");
  const [amount, setAmount] = useState("1");
  if (why) return <Sorry why={why} />;
  if (!story) return <p class="quiet">Reading the models…</p>;
  const models: Model[] = story.data.rows ?? [];
  const model = models.find((m) => m.name === name) ?? models[0];
  const curve = views.find(([w]) => w === what)?.[2] ?? true;
  const column = feature || model?.columns?.[0] || "";
  const plan: Plan | null = model && amount && (!curve || column) ? { verb: "model", what, model: model.name, ...(curve ? { feature: column } : {}), [aim]: amount } : null;
  return (
    <section>
      <h1>Models</h1>
      <p>How a model uses the people of this table. The model itself is the curator’s; its portrait has noise, and its bands say how much.</p>
      {!model && <Empty />}
      {model && (
        <>
          <div class="fields">
            <label>Model<select value={model.name} onChange={(e) => setName((e.target as HTMLSelectElement).value)}>{models.map((m) => <option key={m.name}>{m.name}</option>)}</select></label>
            <label>Show<select value={what} onChange={(e) => setWhat((e.target as HTMLSelectElement).value)}>{views.filter(([w]) => w !== "pfi" || model.label).map(([w, words]) => <option key={w} value={w}>{words}</option>)}</select></label>
            {curve && <label>Column of the curve<select value={column} onChange={(e) => setFeature((e.target as HTMLSelectElement).value)}>{(model.columns ?? []).map((c) => <option key={c}>{c}</option>)}</select></label>}
          </div>
          <p class="quiet">
            {model.name}: a {model.kind}, declared {model.declared}; its output is cut to {model.bounds}; it is fed {(model.columns ?? []).join(", ")}
            {model.label ? ` and predicts ${model.label}` : "; without a label there is no importance"}.
          </p>
          <BudgetFields aim={aim} amount={amount} set={(a, n) => { setAim(a); setAmount(n); }} />
          <Price plan={plan} paid={(id) => go("releases/" + id)} />
        </>
      )}
    </section>
  );
}
