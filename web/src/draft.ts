/* draft.ts — what somebody has begun to write, kept by this tab until they leave: a server that was started anew asks
 * for a token, and for nothing else again. Forms only: no token, no answer, and not the point of one who asks of a map. */
import { useState } from "preact/hooks";
import type { Session } from "./api";
import { useSession } from "./shell";

/** A question of which nothing is chosen or written yet. */
export const nothing = { written: false, text: "", how: "COUNT", of: "", by: "", where: "" };

const PREFIX = "jali.draft.";

/** One person's drafts for one vault are nobody else's, though the tab be shared. */
const key = (who: Session | null, name: string) => PREFIX + JSON.stringify([who?.vault, who?.name, name]);

export function keepDraft(who: Session | null, name: string, value: unknown) {
  try {
    sessionStorage.setItem(key(who, name), JSON.stringify(value));
  } catch {
    /* a browser that keeps nothing loses it on a reload, as ever */
  }
}

export function kept<T>(who: Session | null, name: string, start: T): T {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key(who, name)) ?? "null");
    if (found === null || typeof found !== typeof start || Array.isArray(found) !== Array.isArray(start)) return start;
    return typeof found === "object" && !Array.isArray(found) ? { ...start, ...found } : (found as T);
  } catch {
    return start;
  }
}

/** As useState, and there again after a reload or a new session of the same person. */
export function useDraft<T>(name: string, start: T): [T, (next: T) => void] {
  const who = useSession();
  const [value, setValue] = useState<T>(() => kept(who, name, start));
  return [value, (next) => { setValue(next); keepDraft(who, name, next); }];
}

/** Who leaves takes it all along. */
export function forgetDrafts() {
  try {
    for (const k of Object.keys(sessionStorage)) if (k.startsWith(PREFIX)) sessionStorage.removeItem(k);
  } catch {
    /* a browser that keeps nothing has nothing to forget */
  }
}
