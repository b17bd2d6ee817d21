/* Ask.tsx — a question: chosen or written, priced as one types, answered with intervals. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { nothing, useDraft } from "../draft";
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

/** How much: by the accuracy that is wanted, or by the budget that is given. */
export type Means = { aim: "epsilon" | "rho" | "error"; amount: string; within: string; confidence: string };

export const means = (amount: string): Means => ({ aim: "epsilon", amount, within: "50", confidence: "0.95" });

/** The part of a plan that says how much; null while it says nothing. */
export function paying(m: Means): Plan | null {
  if (m.aim === "error") return m.within ? { error: m.within, ...(m.confidence === "0.95" ? {} : { confidence: m.confidence }) } : null;
  return m.amount ? { [m.aim]: m.amount } : null;
}

export function BudgetFields({ means: m, set, withError }: { means: Means; set: (m: Means) => void; withError?: boolean }) {
  const exact = m.aim === "error";
  return (
    <fieldset class="means">
      <legend>{withError ? "How exact, or how dear?" : "How dear?"}</legend>
      {withError && (
        <div class="either">
          <label class="tick"><input type="radio" name="aim" checked={exact} onChange={() => set({ ...m, aim: "error" })} /> I say the accuracy, and see the cost</label>
          <label class="tick"><input type="radio" name="aim" checked={!exact} onChange={() => set({ ...m, aim: "epsilon" })} /> I say the cost, and see the accuracy</label>
        </div>
      )}
      {exact ? (
        <div class="fields">
          <label>Every count and sum within<input inputMode="decimal" value={m.within} onInput={(e) => set({ ...m, within: (e.target as HTMLInputElement).value.trim() })} /></label>
          <label>
            of the truth, with
            <select value={m.confidence} onChange={(e) => set({ ...m, confidence: (e.target as HTMLSelectElement).value })}>
              {["0.8", "0.9", "0.95", "0.99"].map((c) => <option key={c} value={c}>{100 * Number(c)}%</option>)}
            </select>
          </label>
        </div>
      ) : (
        <div class="fields">
          <label>At most<input inputMode="decimal" value={m.amount} onInput={(e) => set({ ...m, amount: (e.target as HTMLInputElement).value.trim() })} /></label>
          <label>
            measured in
            <select value={m.aim} onChange={(e) => set({ ...m, aim: (e.target as HTMLSelectElement).value as Means["aim"] })}>
              <option value="epsilon">epsilon</option>
              <option value="rho">rho (zCDP)</option>
            </select>
          </label>
        </div>
      )}
      <p class="hint">
        {exact
          ? "The closer, the dearer: half the error costs up to four times as much."
          : "How much the answer may tell about any one person: 0.1 tells little and is noisy, 1 tells more and is closer. The price shows both."}
      </p>
    </fieldset>
  );
}

export function Ask() {
  const vault = useVault();
  const [draft, setDraft] = useDraft("ask", nothing);
  const [money, setMoney] = useDraft("ask.means", means("0.1"));
  const [wanted, setWanted] = useState(false); // the editor was asked for just now
  const { written, text, how, of, by, where } = draft;
  const set = (part: Partial<typeof nothing>) => setDraft({ ...draft, ...part });

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
  const pay = paying(money);
  const plan: Plan | null = sql.trim() && pay ? { verb: "ask", sql, ...pay } : null;
  const begun = JSON.stringify(draft) !== JSON.stringify(nothing);

  return (
    <section>
      <h1>Ask</h1>
      <p>
        Counts, sums and averages of <b>{vault.table}</b>, for every group. The answer has noise, so that it tells hardly anything about any one person; intervals
        say how much. Then click two bars, and ask why one is above the other.
      </p>
      <div class="bench">
        <div>
          {!written && (
            <div class="fields">
              <label>
                What
                <select value={how} onChange={(e) => set({ how: (e.target as HTMLSelectElement).value })}>
                  <option value="COUNT">how many</option>
                  <option value="AVG">average of</option>
                  <option value="SUM">sum of</option>
                </select>
              </label>
              {how !== "COUNT" && (
                <label>
                  Column
                  <select value={of} onChange={(e) => set({ of: (e.target as HTMLSelectElement).value })}>
                    <option value="">choose…</option>
                    {vault.numbers.map((c) => <option key={c}>{c}</option>)}
                  </select>
                </label>
              )}
              <label>
                For each
                <select value={by} onChange={(e) => set({ by: (e.target as HTMLSelectElement).value })}>
                  <option value="">(all together)</option>
                  {vault.columns.map((c) => <option key={c}>{c}</option>)}
                </select>
              </label>
              <label class="long">
                Only where (you may leave it empty)
                <input placeholder={vault.example} value={where} onInput={(e) => set({ where: (e.target as HTMLInputElement).value })} />
              </label>
            </div>
          )}
          {written ? (
            <Sql text={text} table={vault.table} columns={vault.columns} focus={wanted} changed={(t) => set({ text: t })} />
          ) : (
            <pre class="sql" aria-label="the question in SQL">{chosen || "…"}</pre>
          )}
          <p class="actions">
            <button
              type="button"
              class="link"
              onClick={() => {
                setWanted(!written);
                set(written ? { written: false } : { written: true, text: chosen });
              }}
            >
              {written ? "choose instead of writing" : "write it in SQL"}
            </button>
            {begun && <button type="button" class="link" onClick={() => setDraft(nothing)}>begin anew</button>}
          </p>
          <BudgetFields means={money} withError set={setMoney} />
        </div>
        <Price plan={plan} source={sql} missing={how !== "COUNT" && !of && !written ? "choose the column" : undefined} paid={(id) => go("releases/" + id)} />
      </div>
    </section>
  );
}
