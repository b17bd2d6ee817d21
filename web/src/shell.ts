/* shell.ts — what all pages share: where we are, and what is public about the vault. */
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Session } from "./api";

export type Vault = { name: string; table: string; columns: string[]; numbers: string[]; words: string[]; epsilon: string; delta: string; example: string };

export const VaultContext = createContext<Vault | null>(null);
export const SessionContext = createContext<Session | null>(null);
export const useVault = () => useContext(VaultContext);
export const useSession = () => useContext(SessionContext);

export function go(place: string) {
  location.hash = "#/" + place;
}

/** The words after the hash: ["releases", "r1"]. */
export function usePlace(): string[] {
  const plain = (word: string) => {
    try {
      return decodeURIComponent(word);
    } catch {
      return word; // a broken address names nothing, and that is said in words
    }
  };
  const read = () => location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(plain);
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const changed = () => setPlace(read());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return place;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function readVault(data: any): Vault {
  const fields: { name: string; type: string; constraints?: { enum?: unknown[] } }[] = data.schema?.fields ?? [];
  const listed = new Set((data.rows ?? []).map((r: { column: string }) => r.column));
  const used = fields.filter((f) => listed.has(f.name));
  const choice = used.find((f) => f.constraints?.enum?.length);
  const isNumber = (t: string) => ["integer", "number", "year", "date", "boolean"].includes(t);
  return {
    name: data.vault,
    table: data.schema?.name ?? data.vault,
    columns: used.map((f) => f.name),
    numbers: used.filter((f) => isNumber(f.type)).map((f) => f.name),
    words: used.filter((f) => !isNumber(f.type)).map((f) => f.name),
    epsilon: data.cap?.epsilon ?? "",
    delta: data.cap?.delta ?? "",
    example: choice ? `${choice.name} = '${String(choice.constraints!.enum![0])}'` : "",
  };
}
