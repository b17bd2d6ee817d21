/* Ask.tsx — a question: chosen or written, priced as one types, answered with intervals. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Plan, Price } from "../parts/Price";
import { go, useVault } from "../shell";

type Editor = typeof import("../parts/Sql").default;

/** The editor is large and comes when it is wanted. */
function Sql(props: Parameters<Editor>[0]) {
  const [found, setFound] = useState<{ editor?: Editor; failed?: boolean }>({});
  useEffect(() => {
    import("../parts/Sql").then((m) => setFound({ editor: m.default }), () => setFound({ failed: true }));
  }, []);
  if (found.failed) return <p class="sorry">The editor could not be loaded; choose instead of writing, or load the page again.</p>;
  return found.editor ? <found.editor {...props} /> : <p class="quiet">Loading the editor…</p>;
}

function quoteName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

type Aim = "epsilon" | "rho" | "error";

export function BudgetFields(props: { aim: Aim; amount: string; set: (aim: Aim, amount: string) => void; withError?: boolean }) {
  return (
    <div class="fields">
      <label>
        Aim by
        <select value={props.aim} onChange={(e) => props.set((e.target as HTMLSelectElement).value as Aim, props.amount)}>
          {props.withError && <option value="error">accuracy: every count and sum within …</option>}
          <option value="epsilon">budget: epsilon</option>
          <option value="rho">budget: rho (zCDP)</option>
        </select>
      </label>
      <label>
        {props.aim === "error" ? "Within (95% of the time)" : "At most"}
        <input inputMode="decimal" value={props.amount} onInput={(e) => props.set(props.aim, (e.target as HTMLInputElement).value.trim())} />
      </label>
    </div>
  );
}

export function Ask() {
  const vault = useVault();
  const [written, setWritten] = useState(false);
  const [text, setText] = useState("");
  const [how, setHow] = useState("COUNT");
  const [of, setOf] = useState("");
  const [by, setBy] = useState("");
  const [where, setWhere] = useState(() => sessionStorage.getItem("jali.where") ?? "");
  const [aim, setAim] = useState<Aim>("epsilon");
  const [amount, setAmount] = useState("0.1");
  useEffect(() => sessionStorage.removeItem("jali.where"), []);

  const chosen = useMemo(() => {
    if (!vault) return "";
    const what = how === "COUNT" ? "COUNT(*)" : of ? `${how}(${quoteName(of)})` : "";
    if (!what) return "";
    const group = by ? quoteName(by) : "";
    return (
      `SELECT ${group ? group + ", " : ""}${what} FROM ${quoteName(vault.table)}` +
      (where.trim() ? ` WHERE ${where.trim()}` : "") +
      (group ? ` GROUP BY ${group}` : "")
    );
  }, [vault, how, of, by, where]);

  if (!vault) return <p class="quiet">Reading the schema…</p>;
  const sql = written ? text : chosen;
  const plan: Plan | null = sql && amount ? { verb: "ask", sql, [aim]: amount } : null;

  return (
    <section>
      <h1>Ask</h1>
      <p>Counts, sums and averages of <b>{vault.table}</b>, for every group. The answer has noise, and its intervals say how much.</p>
      {!written && (
        <div class="fields">
          <label>
            What
            <select value={how} onChange={(e) => setHow((e.target as HTMLSelectElement).value)}>
              <option value="COUNT">how many</option>
              <option value="AVG">average of</option>
              <option value="SUM">sum of</option>
            </select>
          </label>
          {how !== "COUNT" && (
            <label>
              Column
              <select value={of} onChange={(e) => setOf((e.target as HTMLSelectElement).value)}>
                <option value="">choose…</option>
                {vault.numbers.map((c) => <option key={c}>{c}</option>)}
              </select>
            </label>
          )}
          <label>
            For each
            <select value={by} onChange={(e) => setBy((e.target as HTMLSelectElement).value)}>
              <option value="">(all together)</option>
              {vault.columns.map((c) => <option key={c}>{c}</option>)}
            </select>
          </label>
          <label class="long">
            Only where
            <input placeholder="age >= 60 AND sex = 'female'" value={where} onInput={(e) => setWhere((e.target as HTMLInputElement).value)} />
          </label>
        </div>
      )}
      {written ? (
        <Sql text={text} table={vault.table} columns={vault.columns} changed={setText} />
      ) : (
        <pre class="sql" aria-label="the question in SQL">{chosen || "…"}</pre>
      )}
      <button
        type="button"
        class="link"
        onClick={() => {
          if (!written) setText(chosen);
          setWritten(!written);
        }}
      >
        {written ? "choose instead of writing" : "write it in SQL"}
      </button>
      <BudgetFields aim={aim} amount={amount} withError set={(a, n) => { setAim(a); setAmount(n); }} />
      <Price plan={plan} source={sql} paid={(id) => go("releases/" + id)} />
    </section>
  );
}
