/* main.tsx — the page: who is here, where they are, what they see. */
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, follow, login, logout, pending, Refusal, type Session, whoami } from "./api";
import { forgetDrafts } from "./draft";
import { Ask } from "./pages/Ask";
import { Budget, Ledger, Releases } from "./pages/Books";
import { Claims } from "./pages/Claims";
import { Curator } from "./pages/Curator";
import { Models } from "./pages/Models";
import { Release } from "./pages/Release";
import { Report } from "./pages/Report";
import { Verbs, verbPages } from "./pages/Verbs";
import { Sorry } from "./parts/Price";
import { PurseContext, type Purse, readPurse, share } from "./purse";
import { go, readVault, SessionContext, usePlace, type Vault, VaultContext } from "./shell";
import "./style.css";

function Login({ done, ended }: { done: (s: Session) => void; ended: boolean }) {
  const [token, setToken] = useState("");
  const [why, setWhy] = useState<Refusal | null>(null);
  return (
    <main class="login">
      <h1>jali</h1>
      <p>Ask <em>why</em> of a sensitive table, and learn hardly anything about any one person in it.</p>
      {ended && <p class="banner" role="status">Your session has ended, or your token was revoked. What was paid for is kept, and so is what you were writing: come in again and you are where you were.</p>}
      <form
        onSubmit={(e) => {
          e.preventDefault();
          setWhy(null);
          login(token.trim()).then(done, setWhy);
        }}
      >
        <label>Your token<input type="password" autoComplete="current-password" required value={token} onInput={(e) => setToken((e.target as HTMLInputElement).value)} /></label>
        <button type="submit" class="primary">Come in</button>
      </form>
      <Sorry why={why} />
      <p class="quiet">No token? The curator of the table makes one for you, here on the page or by <code>jali token VAULT add --name you</code>.</p>
    </main>
  );
}

const places: [string, string, Session["role"][]][] = [
  ["ask", "Ask", ["analyst", "curator"]],
  ...verbPages.map((v): [string, string, Session["role"][]] => [v.place, v.title, ["analyst", "curator"]]),
  ["models", "Models", ["analyst", "curator"]],
  ["releases", "Releases", ["analyst", "auditor", "curator"]],
  ["report", "Report", ["analyst", "auditor", "curator"]],
  ["budget", "Budget", ["analyst", "auditor", "curator"]],
  ["ledger", "Ledger", ["auditor", "curator"]],
  ["claims", "Claims", ["auditor", "curator"]],
  ["curator", "Curator", ["curator"]],
];

function Place({ place }: { place: string[] }) {
  const [what = "ask", which] = place;
  if (what === "releases" && which) return <Release key={which} id={which} />;
  if (what === "releases") return <Releases />;
  if (what === "models") return <Models />;
  if (what === "report") return <Report />;
  if (what === "budget") return <Budget />;
  if (what === "ledger") return <Ledger />;
  if (what === "claims") return <Claims />;
  if (what === "curator") return <Curator />;
  const verb = verbPages.find((v) => v.place === what);
  if (verb) return <Verbs key={verb.place} verb={verb} which={which} />;
  return <Ask />;
}

/** A question that was being answered when the page was left or loaded again. */
function Unfinished() {
  const [job, setJob] = useState(pending);
  const [seconds, setSeconds] = useState(0);
  const [why, setWhy] = useState<Refusal | null>(null);
  useEffect(() => {
    if (!job) return;
    follow(job, setSeconds).then((id) => { setJob(null); go("releases/" + id); }, (e) => { setJob(null); setWhy(e); });
  }, []);
  if (!job) return <Sorry why={why} />;
  return <p class="banner" role="status">A question that you accepted is being answered ({seconds} s). It is paid once, whatever you do here.</p>;
}

/** Words for a machine without network; what is on the page stays readable. */
function Offline() {
  const [away, setAway] = useState(!navigator.onLine);
  useEffect(() => {
    const look = () => setAway(!navigator.onLine);
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => { removeEventListener("online", look); removeEventListener("offline", look); };
  }, []);
  return away ? <p class="banner" role="alert">You are offline. What you see stays readable; prices and answers wait until the network is back.</p> : null;
}

function House({ session, leave }: { session: Session; leave: () => void }) {
  const place = usePlace();
  const [vault, setVault] = useState<Vault | null>(null);
  const [purse, setPurse] = useState<Purse | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    call("GET", "vault").then(({ value }) => setVault(readVault(value)), setWhy);
  }, []);
  useEffect(() => {
    // What is left may have changed, by others, too. Without it the page says so in other words.
    call("GET", "budget").then(({ value }) => setPurse(readPurse(value)), () => undefined);
    document.title = `jali: ${place.join(" ") || "ask"}`;
    main.current?.focus();
  }, [place.join("/")]);
  const here = place[0] ?? "ask";
  return (
    <SessionContext.Provider value={session}>
      <VaultContext.Provider value={vault}>
       <PurseContext.Provider value={purse}>
        <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); main.current?.focus(); }}>to the content</a>
        <header>
          <strong>jali</strong>
          <nav aria-label="pages">
            {places.filter(([, , roles]) => roles.includes(session.role)).map(([word, title]) => (
              <a key={word} href={"#/" + word} aria-current={here === word ? "page" : undefined}>{title}</a>
            ))}
          </nav>
          {vault && <a class="vault" href="#/budget" title="what is spent, and by whom">{vault.name}{purse && Number.isFinite(purse.spent) ? `: ${share(1 - purse.spent)} left` : ""}</a>}
          <span class="who">
            {session.name} <span class="quiet">({session.role})</span>{" "}
            <button type="button" class="link" onClick={() => { forgetDrafts(); logout().then(leave); }}>leave</button>
          </span>
        </header>
        <main id="main" tabIndex={-1} ref={main}>
          <Offline />
          <Unfinished />
          <Sorry why={why} />
          <Place place={place} />
        </main>
        <footer class="quiet">Everything here was released under differential privacy, or is public. Nothing on this page reads a row.</footer>
       </PurseContext.Provider>
      </VaultContext.Provider>
    </SessionContext.Provider>
  );
}

function App() {
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const [ended, setEnded] = useState(false);
  useEffect(() => {
    const end = () => { setEnded(true); setSession(null); };
    addEventListener("jali-ended", end);
    whoami().then(setSession);
    return () => removeEventListener("jali-ended", end);
  }, []);
  if (session === undefined) return <p class="quiet">jali is loading…</p>;
  if (session === null) return <Login ended={ended} done={(s) => { setEnded(false); setSession(s); if (!location.hash) go(s.role === "auditor" ? "ledger" : "ask"); }} />;
  return <House session={session} leave={() => setSession(null)} />;
}

const root = document.getElementById("app")!;
root.replaceChildren();
render(<App />, root);
