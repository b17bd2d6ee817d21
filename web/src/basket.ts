/* basket.ts — the releases that shall stand in a report: kept by this browser, for this vault. */
import { useEffect, useState } from "preact/hooks";

const key = (vault: string) => "jali.report." + vault;

export function basket(vault: string): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(key(vault)) ?? "[]");
    return Array.isArray(list) ? list.filter((x): x is string => typeof x === "string") : [];
  } catch {
    return [];
  }
}

/** The list, and how to change it; all who look at it hear of it. */
export function useBasket(vault: string): [string[], (list: string[]) => void] {
  const [list, setList] = useState(() => basket(vault));
  useEffect(() => {
    const changed = () => setList(basket(vault));
    changed();
    addEventListener("jali-basket", changed);
    return () => removeEventListener("jali-basket", changed);
  }, [vault]);
  return [
    list,
    (next) => {
      localStorage.setItem(key(vault), JSON.stringify(next));
      dispatchEvent(new Event("jali-basket"));
    },
  ];
}
