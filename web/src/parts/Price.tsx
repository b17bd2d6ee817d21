/* Price.tsx — what it costs, told as one types; then yes or no; then the wait. */
import { useEffect, useState } from "preact/hooks";
import { type Block, type Quote, quote, Refusal, spend } from "../api";
import { share, usePurse } from "../purse";
import { PurseBar } from "./Purse";
import { Story } from "./Story";

export type Plan = Record<string, string>;

export function Sorry({ why, source, again }: { why: Refusal | null; source?: string; again?: () => void }) {
  if (!why) return null;
  const line = source?.split("\n")[(why.line ?? 1) - 1];
  return (
    <div class="sorry" role="alert">
      <p>{why.status === 402 ? "The budget says no. " : ""}{why.message}</p>
      {why.column && line !== undefined && <pre>{line + "\n" + " ".repeat(why.column - 1) + "^"}</pre>}
      {why.status === 0 && again && <p><button type="button" onClick={again}>try again</button></p>}
    </div>
  );
}

const LOSSES = ["before", "this", "after", "left"];
const isLoss = (b: Block) => b.block === "fact" && LOSSES.includes(b.label);

/** The price: first how exact the answer will be, then what it takes of the budget, then the measures. */
function Told({ price }: { price: Quote }) {
  const purse = usePurse();
  const blocks = price.blocks.filter((b) => b && b.block !== "heading");
  const { before, this: now } = price.data ?? {};
  const part = purse?.of(now) ?? NaN, spent = purse?.of(before) ?? NaN;
  const known = Number.isFinite(part) && Number.isFinite(spent);
  return (
    <>
      <Story page={{ ...price, blocks: blocks.filter((b) => !isLoss(b)) }} />
      {known && part > 0 && (
        <>
          <p class="cost">It takes <b>{share(part)} of the budget</b>, for good. After it {share(1 - spent - part)} is left for all questions of everybody.</p>
          <PurseBar before={spent} now={part} />
        </>
      )}
      {known && part <= 0 && <p class="cost">It is <b>free</b>: this was paid for before, and telling it again says nothing new.</p>}
      <details open={!known}>
        <summary>before, this and after, in epsilon and rho</summary>
        <Story page={{ ...price, blocks: blocks.filter(isLoss) }} />
      </details>
    </>
  );
}

/** `plan` null: not yet complete. */
export function Price(props: { plan: Plan | null; source?: string; paid: (release: string) => void; word?: string; missing?: string }) {
  const [price, setPrice] = useState<Quote | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  const [busy, setBusy] = useState<number | null>(null);
  const [turn, setTurn] = useState(0); // a price that ran out is asked for again
  const key = JSON.stringify(props.plan);
  const again = () => setTurn((n) => n + 1);

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
    const timer = setTimeout(again, Math.max(30000, price.until_ms - Date.now() - 5000));
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
      <h2>What it will cost</h2>
      <Sorry why={why} source={props.source} again={price ? undefined : again} />
      {!props.plan && <p class="quiet">The price appears here as soon as the question is complete{props.missing ? `: ${props.missing}` : ""}. Asking for a price is free.</p>}
      {props.plan && !price && !why && <p class="quiet">Asking for the price…</p>}
      {price && <Told price={price} />}
      {price && (
        <button type="button" class="primary" disabled={busy !== null} onClick={accept}>
          {busy !== null ? `Working… ${busy} s` : free ? "Show it (free)" : (props.word ?? "Spend this and answer")}
        </button>
      )}
    </section>
  );
}
