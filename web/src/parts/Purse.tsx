/* Purse.tsx — spent, this, left: one bar and the same in words. Patterns and words tell them apart, not colours. */
import { share } from "../purse";

export function PurseBar({ before, now = 0 }: { before: number; now?: number }) {
  const wide = (x: number) => Math.max(0, Math.min(100, 100 * x));
  const from = wide(before), to = wide(before + now);
  const said = `spent ${share(before)}, ` + (now > 0 ? `this ${share(now)}, ` : "") + `left ${share(1 - before - now)}`;
  return (
    <div class="purse">
      <svg viewBox="0 0 100 12" preserveAspectRatio="none" role="img" aria-label={said}>
        <defs>
          <pattern id="purse-this" width="1.2" height="12" patternUnits="userSpaceOnUse"><rect class="stripe" width="0.6" height="12" /></pattern>
        </defs>
        <rect class="all" width="100" height="12" />
        <rect class="spent" width={from} height="12" />
        {now > 0 && <rect class="this" x={from} width={Math.max(0.6, to - from)} height="12" fill="url(#purse-this)" />}
      </svg>
      <p class="keys" aria-hidden="true">
        <span><i class="key spent" />spent {share(before)}</span>
        {now > 0 && <span><i class="key this" />this {share(now)}</span>}
        <span><i class="key all" />left {share(1 - before - now)}</span>
      </p>
    </div>
  );
}
