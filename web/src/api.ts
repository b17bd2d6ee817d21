/* api.ts — the server, as the page sees it. */

export type Loss = { eps: string; rho: string; delta: string };

export type Session = { name: string; role: "analyst" | "auditor" | "curator"; vault: string; csrf: string };

/** A number with its interval; `unknown`: the noise says nothing here. */
export type Mark = { value?: number | null; low?: number | null; high?: number | null; unknown?: boolean };
export type Axis = { name?: string; unit?: string; percent?: boolean; whole?: boolean };

export type RowsChart = {
  chart: "rows";
  words: string[];
  tracks: { axis: Axis; bar: boolean }[];
  rows: { words: string[]; marks: Mark[] }[];
};
export type PairsChart = {
  chart: "pairs";
  x: Axis;
  y: Axis;
  inside: string;
  elsewhere: string;
  rows: { value: string; inside: Mark; elsewhere: Mark }[];
};
export type LinesChart = {
  chart: "lines";
  x: Axis;
  y: Axis;
  named: boolean;
  stepped?: string[]; // steps up to a cap of 100%, each with its name
  series: { name?: string; dots: { x: number | string; y: Mark }[] }[];
  strip: { from: number; to: number; height: number }[];
  upright: { x: number; label?: string }[];
};
export type HeatChart = {
  chart: "heat";
  x: Axis;
  y: Axis;
  value: Axis;
  box: [number, number, number, number];
  columns: number;
  cells: (number | null)[];
  halves?: (number | null)[];
  places: { x: number; y: number; letter: string; label?: string }[];
};
export type Chart = { block: "chart"; title: string; about?: string; note?: string } & (
  | RowsChart
  | PairsChart
  | LinesChart
  | HeatChart
);
export type Block =
  | { block: "heading" | "say"; text: string }
  | { block: "fact"; label: string; text: string }
  | { block: "meter"; label: string; text: string; share: number }
  | { block: "table"; columns: { name?: string; right: boolean }[]; rows: string[][] }
  | Chart;

/** Any document: its JSON and the pieces that people read. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Page = { kind: string; data: any; blocks: Block[] };

export type Quote = Page & { quote: string; until_ms: number };

/** One sentence of the server, and where in the request it points. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    sentence: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(sentence);
  }
}

let csrf = "";

export async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  let reply: Response;
  try {
    reply = await fetch("/api/v1/" + path, {
      method,
      credentials: "same-origin",
      headers: { "X-Jali-CSRF": csrf, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refusal(0, "The server does not answer; try again.");
  }
  const text = await reply.text();
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal(reply.status, "The server's answer cannot be read.");
  }
  if (reply.ok) return { status: reply.status, value };
  if (reply.status === 401 && path !== "session") dispatchEvent(new Event("jali-ended"));
  const e = value.error ?? {};
  throw new Refusal(reply.status, e.sentence ?? "The server said no.", e.line, e.column);
}

export async function login(token: string): Promise<Session> {
  const { value } = await call("POST", "session", { token });
  csrf = value.csrf;
  return value;
}

/** Who is here, if the browser still has its cookie. */
export async function whoami(): Promise<Session | null> {
  try {
    const { value } = await call("GET", "session");
    csrf = value.csrf;
    return value;
  } catch {
    return null;
  }
}

export async function logout() {
  await call("DELETE", "session").catch(() => undefined);
  sessionStorage.removeItem(PENDING);
  csrf = "";
}

export async function quote(plan: object): Promise<Quote> {
  return (await call("POST", "quotes?format=blocks", plan)).value;
}

/** A job that this browser waits for: a reload must not lose what was paid for. */
export type Pending = { job: string; since: number; release?: string };
const PENDING = "jali.job";

export function pending(): Pending | null {
  try {
    return JSON.parse(sessionStorage.getItem(PENDING) ?? "null");
  } catch {
    return null;
  }
}

/** The release of a job is on the page: only now a reload has nothing left to lose. */
export function seen(release: string) {
  if (pending()?.release === release) sessionStorage.removeItem(PENDING);
}

/** A reply that was lost says nothing about what was done before it was sent. */
const UNKNOWN =
  "The server does not answer, and it is not known whether this was paid. Once it is back, look at Releases: what was paid for is there, and the same question again is free.";

/** Asks for a job until it is done; a server that is away for a moment is asked again. */
export async function follow(p: Pending, waiting: (s: number) => void): Promise<string> {
  for (let away = 0; ; ) {
    try {
      const { status, value } = await call("GET", "jobs/" + p.job);
      away = 0;
      if (status !== 202) {
        sessionStorage.setItem(PENDING, JSON.stringify({ ...p, release: value.release }));
        return value.release;
      }
    } catch (e) {
      const why = e as Refusal;
      if (why.status !== 0 || ++away > 40) {
        sessionStorage.removeItem(PENDING);
        throw why.status === 404 ? new Refusal(404, "The server was started anew and has forgotten this job. What was paid for is kept: look at Releases.") : why.status === 0 ? new Refusal(0, UNKNOWN) : why;
      }
    }
    waiting(Math.round((Date.now() - p.since) / 1000));
    await new Promise((r) => setTimeout(r, 250));
  }
}

/** Accepts a price. The work is a job that is asked for until it is done. */
export async function spend(signature: string, waiting: (s: number) => void): Promise<string> {
  const { value } = await call("POST", "releases", { quote: signature }, { Prefer: "respond-async" }).catch((e: Refusal) => {
    throw e.status === 0 ? new Refusal(0, UNKNOWN) : e;
  });
  const job: Pending = { job: value.job, since: Date.now() };
  sessionStorage.setItem(PENDING, JSON.stringify(job));
  return follow(job, waiting);
}

export async function page(path: string): Promise<Page> {
  return (await call("GET", path + (path.includes("?") ? "&" : "?") + "format=blocks")).value;
}
