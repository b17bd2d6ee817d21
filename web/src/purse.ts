/* purse.ts — the budget as shares of the whole, which need no knowledge of epsilon. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Loss } from "./api";

/** What all may spend together, and what is spent; `of` is the part that any loss has of the whole. */
export type Purse = { cap: Loss; spent: number; of: (loss: Partial<Loss> | undefined) => number };

export const PurseContext = createContext<Purse | null>(null);
export const usePurse = () => useContext(PurseContext);

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function readPurse(data: any): Purse {
  // While nothing is spent both measures hold; then the one of a loss is the one in which it is finite.
  const by = (loss: Partial<Loss>): "eps" | "rho" => (data.within === "rho" || (data.within === "both" && loss.eps === "inf") ? "rho" : "eps");
  const of = (loss: Partial<Loss> | undefined) => {
    const whole = loss ? Number(data.cap?.[by(loss)]) : NaN;
    return whole > 0 ? Number(loss![by(loss!)] ?? NaN) / whole : NaN;
  };
  return { cap: data.cap, spent: of(data.spent), of };
}

/** A share in words; small ones do not become nothing, and nearly all does not become all. */
export function share(x: number): string {
  if (!Number.isFinite(x)) return "?";
  if (x <= 0) return "nothing";
  if (x < 0.0005) return "less than 0.1%";
  if (x > 0.9995 && x < 1) return "nearly 100%";
  return `${Number((100 * x).toFixed(1))}%`;
}

/** A cost in the measure that is finite. */
export function measure(paid: { eps: string; rho: string }): string {
  return paid.eps === "inf" ? `rho ${Number(paid.rho).toPrecision(3)}` : `epsilon ${paid.eps}`;
}
