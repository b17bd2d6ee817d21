/* main.tsx — the page: who is here, where they are, what they see. */
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, login, logout, Refusal, type Session, whoami } from "./api";
import { Ask } from "./pages/Ask";
import { Budget, Curator, Ledger, Releases } from "./pages/Books";
import { Release } from "./pages/Release";
import { Verbs, verbPages } from "./pages/Verbs";
import { Sorry } from "./parts/Price";
import { go, readVault, SessionContext, usePlace, type Vault, VaultContext } from "./shell";
import "./style.css";

function Login({ done }: { done: (s: Session) => void }) {
  const [token, setToken] = useState("");
  const [why, setWhy] = useState<Refusal | null>(null);
  return (
    <main class="login">
      <h1>jali</h1>
      <p>Ask <em>why</em> of a sensitive table, and learn nothing about anybody in it.</p>
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
      <p class="quiet">The curator of the table makes tokens: <code>jali token VAULT add --name you</code></p>
    </main>
  );
}

const places: [string, string, Session["role"][]][] = [
  ["ask", "Ask", ["analyst", "curator"]],
  ...verbPages.map((v): [string, string, Session["role"][]] => [v.place, v.title, ["analyst", "curator"]]),
  ["releases", "Releases", ["analyst", "auditor", "curator"]],
  ["budget", "Budget", ["analyst", "auditor", "curator"]],
  ["ledger", "Ledger", ["auditor", "curator"]],
  ["curator", "Curator", ["curator"]],
];

function Place({ place }: { place: string[] }) {
  const [what = "ask", which] = place;
  if (what === "releases" && which) return <Release id={which} />;
  if (what === "releases") return <Releases />;
  if (what === "budget") return <Budget />;
  if (what === "ledger") return <Ledger />;
  if (what === "curator") return <Curator />;
  const verb = verbPages.find((v) => v.place === what);
  if (verb) return <Verbs key={verb.place} verb={verb} which={which} />;
  return <Ask />;
}

function House({ session, leave }: { session: Session; leave: () => void }) {
  const place = usePlace();
  const [vault, setVault] = useState<Vault | null>(null);
  const [why, setWhy] = useState<Refusal | null>(null);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    call("GET", "vault").then(({ value }) => setVault(readVault(value)), setWhy);
  }, []);
  useEffect(() => {
    document.title = `jali: ${place.join(" ") || "ask"}`;
    main.current?.focus();
  }, [place.join("/")]);
  const here = place[0] ?? "ask";
  return (
    <SessionContext.Provider value={session}>
      <VaultContext.Provider value={vault}>
        <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); main.current?.focus(); }}>to the content</a>
        <header>
          <strong>jali</strong>
          <nav aria-label="pages">
            {places.filter(([, , roles]) => roles.includes(session.role)).map(([word, title]) => (
              <a key={word} href={"#/" + word} aria-current={here === word ? "page" : undefined}>{title}</a>
            ))}
          </nav>
          <span class="who">
            {session.name} <span class="quiet">({session.role})</span>{" "}
            <button type="button" class="link" onClick={() => logout().then(leave)}>leave</button>
          </span>
        </header>
        <main id="main" tabIndex={-1} ref={main}>
          <Sorry why={why} />
          <Place place={place} />
        </main>
        <footer class="quiet">Everything here was released under differential privacy, or is public. Nothing on this page reads a row.</footer>
      </VaultContext.Provider>
    </SessionContext.Provider>
  );
}

function App() {
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  useEffect(() => {
    whoami().then(setSession);
  }, []);
  if (session === undefined) return <p class="quiet">jali is loading…</p>;
  if (session === null) return <Login done={(s) => { setSession(s); if (!location.hash) go(s.role === "auditor" ? "ledger" : "ask"); }} />;
  return <House session={session} leave={() => setSession(null)} />;
}

const root = document.getElementById("app")!;
root.replaceChildren();
render(<App />, root);
