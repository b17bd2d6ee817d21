/* Price.tsx — what it costs, told as one types; then yes or no; then the wait. */
import { useEffect, useState } from "preact/hooks";
import { type Quote, quote, Refusal, spend } from "../api";
import { Story } from "./Story";

export type Plan = Record<string, string>;

export function Sorry({ why, source }: { why: Refusal | null; source?: string }) {
  if (!why) return null;
  const line = source?.split("\n")[(why.line ?? 1) - 1];
  return (
    <div class="sorry" role="alert">
      <p>{why.status === 402 ? "The budget says no. " : ""}{why.message}</p>
      {why.column && line !== undefined && <pre>{line + "\n" + " ".repeat(why.column - 1) + "^"}</pre>}
    </div>
  );
}

/** `plan` null: not yet complete. */
export function Price(props: { plan: Plan | null; source?: string; paid: (release: string) => void; word?: string }) {
  const [price, setPrice] = useState<Quote | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  const [busy, setBusy] = useState<number | null>(null);
  const [turn, setTurn] = useState(0); // a price that ran out is asked for again
  const key = JSON.stringify(props.plan);

  useEffect(() => {
    setPrice(null);
    setWhy(null);
    if (!props.plan) return;
    let stale = false;
    const timer = setTimeout(() => {
      quote(props.plan!).then(
        (q) => !stale && setPrice(q),
        (e: Refusal) => !stale && setWhy(e),
      );
    }, 350);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [key, turn]);
  useEffect(() => {
    if (!price || busy !== null) return;
    // Not too often: the two clocks may differ.
    const timer = setTimeout(() => setTurn((n) => n + 1), Math.max(30000, price.until_ms - Date.now() - 5000));
    return () => clearTimeout(timer);
  }, [price, busy !== null]);

  async function accept() {
    if (!price) return;
    setBusy(0);
    setWhy(null);
    try {
      props.paid(await spend(price.quote, setBusy));
    } catch (e) {
      setWhy(e as Refusal);
    } finally {
      setBusy(null);
    }
  }

  const free = price?.data?.this?.eps === "0" && price?.data?.this?.rho === "0";
  return (
    <section class="price" aria-label="price" aria-live="polite">
      <Sorry why={why} source={props.source} />
      {!props.plan && <p class="quiet">The price appears here as soon as the question is complete.</p>}
      {props.plan && !price && !why && <p class="quiet">Asking for the price…</p>}
      {price && <Story page={{ ...price, blocks: price.blocks.filter((b) => b.block !== "heading") }} />}
      {price && (
        <button type="button" class="primary" disabled={busy !== null} onClick={accept}>
          {busy !== null ? `Working… ${busy} s` : free ? "Show it (free)" : (props.word ?? "Spend this and answer")}
        </button>
      )}
    </section>
  );
}
