// Every state of the page has words, and what one can take away from it works; a user who means no good included.
// usage: node states_test.mjs JALI CHECKERS (the folder of tools/deps-judges) [SHOTS]
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { address, atTheDoor, check, forbidden, home, jali, makeVault, newPerson, play, restartServer, run, serve, violations } from "./browser.mjs";

makeVault();
const eve = run("token", "h.jali", "add", "--name", "eve");
const bob = run("token", "h.jali", "add", "--name", "bob");
run("init", "bare.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "1", "--delta", "1e-6");
const ann = run("token", "bare.jali", "add", "--name", "ann", "--role", "curator");
run("init", "pure.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "5", "--delta", "0");
const pia = run("token", "pure.jali", "add", "--name", "pia");
await serve("h.jali", "bare.jali", "pure.jali");

const at = (page, place) => page.evaluate((p) => { location.hash = "#/" + p; }, place);

async function saysNothingYet() {
  const page = await newPerson(ann);
  await page.getByRole("heading", { name: "Ask" }).waitFor();
  for (const [place, words] of [
    ["releases", "Nothing was released yet"], ["budget", "Nothing was spent yet"], ["models", "No model is registered"], ["report", "You have chosen nothing yet"],
    ["clusters", "The price appears here as soon as the question is complete"],
  ]) {
    await at(page, place);
    await page.getByText(words).waitFor();
    check((await violations(page)) === 0, `${place}: "${words}", without a barrier (axe)`);
  }
  await page.context().close();
}

/** Replies are held back, so that the words for waiting stay. */
async function saysThatItReads() {
  const page = await newPerson(ann);
  await page.getByRole("heading", { name: "Ask" }).waitFor();
  let let_go = [];
  await page.route("**/api/v1/**", (route) => let_go.push(route));
  for (const [place, words] of [
    ["releases", "Reading the releases…"], ["releases/r1", "Reading r1…"], ["budget", "Reading the budget…"], ["ledger", "Reading the ledger…"],
    ["claims", "Reading the claims…"], ["models", "Reading the models…"], ["report", "Writing the report…"], ["curator", "Reading the log…"], ["ask", "Asking for the price…"],
  ]) {
    await at(page, place);
    await page.getByText(words).first().waitFor();
    check(true, `${place}: "${words}"`);
  }
  for (const route of let_go) await route.continue();
  let_go = [];
  await page.reload({ waitUntil: "commit" });
  await page.getByText("jali is loading…").waitFor();
  check(true, 'the page: "jali is loading…"');
  await page.context().close();
}

async function saysWhyNot() {
  const page = await newPerson(eve);
  await page.getByRole("heading", { name: "Ask" }).waitFor();
  for (const [place, words] of [
    ["releases/r999", "there is no release"], ["releases/%", "there is no release"], ["releases/..%2Fledger", "nothing of that name"],
    ["releases/<img src=x>", 'there is no release "<img src=x>"'], ["ledger", "your role does not allow this"], ["claims", "your role does not allow this"], ["curator", "your role does not allow this"],
  ]) {
    await at(page, place);
    await page.getByRole("alert").getByText(words).first().waitFor();
    check((await page.locator("img").count()) === 0, `#/${place}: "${words}"`);
  }
  await at(page, "nowhere");
  await page.getByRole("heading", { name: "Ask" }).waitFor();
  await page.getByLabel("At most").fill("a lot");
  await page.getByRole("alert").waitFor();
  check(true, "a budget that is no number is refused in words");
  await page.getByLabel("At most").fill("0.1");
  await page.getByLabel("Only where").fill("age > 40; DROP TABLE charges");
  await page.getByRole("alert").waitFor();
  check((await page.getByRole("button", { name: /Spend/ }).count()) === 0, "what is refused cannot be paid");
  await page.context().close();
}

/** Everything under a release, used. */
async function takesAway() {
  const page = await newPerson(eve);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByLabel("For each").selectOption("ward");
  await page.getByLabel("At most").fill("0.5");
  await page.getByRole("button", { name: /Spend this/ }).dblclick();
  await page.getByRole("heading", { name: "Release r1" }).waitFor();
  await page.locator(".picture svg").first().waitFor();
  check(run("releases", "h.jali", "--format", "ndjson").split("\n").length === 1, "a double click pays once");
  const copied = async (word) => {
    await page.getByRole("button", { name: word }).click();
    await page.getByText("copied").first().waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const command = await copied("copy as command");
  const said = execFileSync("sh", ["-c", command], { cwd: home, encoding: "utf8", env: { ...process.env, PATH: dirname(jali) + ":" + process.env.PATH } });
  check(command.startsWith("jali release h.jali r1") && said.includes("cardiology"), `what is copied as a command runs: ${command}`);
  const link = await copied("copy the link");
  const colleague = await atTheDoor();
  await colleague.goto(link);
  await colleague.reload();
  await colleague.getByLabel("Your token").fill(bob);
  await colleague.getByRole("button", { name: "Come in" }).click();
  await colleague.getByRole("heading", { name: "Release r1" }).waitFor();
  check(true, "a colleague who opens the link comes in and sees the release");
  await colleague.getByLabel("groups to compare").waitFor();
  const sizes = {};
  for (const name of ["JSON", "CSV", "SVG", "HTML", "VEGA"]) {
    const reply = await page.request.get(address + (await page.getByRole("link", { name, exact: true }).getAttribute("href")));
    const text = await reply.text();
    const good = { JSON: () => JSON.parse(text).release === "r1", CSV: () => text.startsWith("ward,"), SVG: () => text.includes("<svg") && text.includes("</svg>"), HTML: () => text.includes("<html"), VEGA: () => JSON.parse(text).$schema.includes("vega-lite") }[name]();
    sizes[name] = reply.status() === 200 && good;
  }
  check(Object.values(sizes).every(Boolean), `a release is taken away in every form ${JSON.stringify(sizes)}`);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV", exact: true }).click();
  check((await download).suggestedFilename() === "r1.csv", "and is saved under its name");
  await page.getByRole("button", { name: "add to report" }).click();
  await page.getByRole("button", { name: "take out of the report" }).waitFor();
  await at(page, "report");
  await page.getByLabel("what stands in the report").getByRole("link", { name: "r1" }).waitFor();
  await page.getByRole("button", { name: /take out/ }).click();
  await page.getByText("You have chosen nothing yet").waitFor();
  check(true, "what is added to the report can be taken out");
  await at(page, "releases/r1");
  await page.getByRole("button", { name: "what does the interval mean?" }).click();
  await page.getByRole("button", { name: "keep drawing" }).click();
  await page.getByText("Redraw 2").waitFor();
  await page.getByRole("button", { name: "stop" }).click();
  const told = await page.getByText(/Redraw \d+/).textContent();
  await page.waitForTimeout(1200);
  check((await page.getByText(/Redraw \d+/).textContent()) === told && (await page.getByText(/post-processing/).count()) === 1, "the simulation runs, says that it is post-processing, and stops");
  await page.getByLabel("Intervals cover with").selectOption("0.8");
  await page.getByText("As it was released").waitFor();
  check(true, "and begins anew at another confidence");
  const before = run("budget", "h.jali", "--format", "json");
  await at(page, "ask");
  await page.getByLabel("For each").selectOption("ward");
  await page.getByLabel("At most").fill("0.5");
  await page.getByRole("button", { name: "Show it (free)" }).click();
  await page.getByRole("heading", { name: "Release r1" }).waitFor();
  check(run("budget", "h.jali", "--format", "json") === before, "the same question again is free, and says so before");
  await page.context().close();
}

/** The noise of a vault without delta has another shape. */
async function drawsLikeTheRelease() {
  const page = await newPerson(pia);
  await page.getByLabel("For each").selectOption("ward");
  await page.getByLabel("At most").fill("1");
  await page.getByRole("button", { name: /Spend this/ }).click();
  await page.getByRole("heading", { name: "Release r1" }).waitFor();
  await page.getByRole("button", { name: "what does the interval mean?" }).click();
  await page.getByText("shape of the release's own: Laplace").waitFor();
  await page.getByRole("button", { name: "draw a hundred times" }).click();
  const share = Number(/: ([\d.]+)%/.exec(await page.getByText(/intervals \d+ held the number/).textContent())?.[1]);
  check(share > 88 && share < 99.9, `in a pure vault the simulation draws Laplace noise, and 95% hold (${share}%)`);
  await page.context().close();
}

/** The reply to an accepted price is lost on its way: the page must not say that nothing was paid. */
async function losesTheReply() {
  const page = await newPerson(eve);
  const before = run("releases", "h.jali", "--format", "ndjson").split("\n").length;
  await page.getByLabel("For each").selectOption("sex");
  await page.getByLabel("At most").fill("0.013");
  await page.getByRole("button", { name: /Spend this/ }).waitFor();
  await page.route("**/api/v1/releases", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  await page.getByRole("button", { name: /Spend this/ }).click();
  await page.getByText("it is not known whether this was paid").waitFor();
  check((await page.getByText("Nothing was spent").count()) === 0, "a reply that is lost does not say that nothing was paid");
  await page.unroute("**/api/v1/releases");
  await page.getByRole("button", { name: /Spend this|Show it|free/ }).first().click();
  await page.getByRole("heading", { name: /Release r/ }).waitFor();
  check(run("releases", "h.jali", "--format", "ndjson").split("\n").length === before + 1, "and who asks again has paid once");
  await page.context().close();
}

/** What somebody was writing when the server was killed is there when they come in again; not for others, and not after they left. */
async function survivesARestart() {
  const page = await newPerson(bob);
  const comeIn = async (token) => {
    await page.getByLabel("Your token").fill(token);
    await page.getByRole("button", { name: "Come in" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
  };
  const where = page.getByLabel("Only where");
  await page.getByLabel("For each").selectOption("ward");
  await where.fill("age > 41");
  await page.getByLabel("I say the accuracy").check();
  await page.getByLabel("Every count and sum within").fill("77");
  await at(page, "clusters");
  await page.getByLabel("bmi", { exact: true }).check();
  await at(page, "models");
  await page.getByLabel("local effects").check();
  await at(page, "releases/r1");
  await page.getByRole("button", { name: "surgery", exact: true }).click();
  await at(page, "ask");
  await where.waitFor();
  await restartServer(async () => {
    await where.fill("age > 42");
    await page.getByText("does not answer").waitFor();
    check((await page.getByRole("button", { name: "try again" }).count()) === 1, "a server that is gone: what was written stays, and one can try again");
  });
  await page.getByRole("button", { name: "try again" }).click();
  await page.getByText("Your session has ended").waitFor();
  await comeIn(bob);
  check((await where.inputValue()) === "age > 42" && (await page.getByLabel("For each").inputValue()) === "ward" && (await page.getByLabel("Every count and sum within").inputValue()) === "77",
    "the server was killed and started again: who comes in again finds the question as it was written");
  await page.getByRole("button", { name: /Spend this/ }).waitFor();
  check(true, "with its price");
  await at(page, "clusters");
  const clusters = await page.getByLabel("bmi", { exact: true }).isChecked();
  await at(page, "models");
  const models = await page.getByLabel("local effects").isChecked();
  await at(page, "releases/r1");
  await page.getByRole("button", { name: "A: surgery" }).waitFor();
  check(clusters && models, "and the other forms, and the bar that was chosen");
  await at(page, "ask");
  await page.getByRole("button", { name: "write it in SQL" }).click();
  await page.getByLabel("question in SQL").press("Control+a");
  await page.getByLabel("question in SQL").pressSequentially("SELECT COUNT(*) FROM hospital WHERE bmi > 31");
  await restartServer();
  await page.reload();
  await comeIn(bob);
  await page.getByLabel("question in SQL").getByText("bmi > 31").waitFor();
  check(true, "what was written in SQL, too, and after a reload");
  const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage }) + JSON.stringify({ ...localStorage }));
  check(!stored.includes(bob) && !stored.includes("csrf") && !/"value"|"low"/.test(stored), "no token and no answer is kept");
  await restartServer();
  await page.reload();
  await comeIn(eve);
  check((await where.inputValue()) === "", "another person in the same tab does not see it");
  await where.fill("age > 43");
  await page.getByRole("button", { name: "leave" }).click();
  await page.getByLabel("Your token").waitFor();
  check((await page.evaluate(() => Object.keys(sessionStorage).length)) === 0, "who leaves leaves nothing behind");
  await comeIn(eve);
  await where.waitFor();
  check((await where.inputValue()) === "" && (await page.getByLabel("For each").inputValue()) === "", "and begins with an empty form");
  await page.context().close();
}

/** A price is good for ten minutes; who comes back later finds a fresh one. */
async function comesBackLater() {
  const page = await atTheDoor();
  await page.clock.install();
  await page.reload();
  await page.getByLabel("Your token").fill(eve);
  await page.getByRole("button", { name: "Come in" }).click();
  await page.getByLabel("At most").fill("0.01");
  await page.clock.runFor(1000);
  await page.getByRole("button", { name: /Spend this/ }).waitFor();
  const again = page.waitForRequest("**/api/v1/quotes**");
  await page.clock.runFor(10 * 60 * 1000);
  await again;
  await page.getByRole("button", { name: /Spend this/ }).waitFor();
  check(true, "a price that runs out is asked for again");
  run("token", "h.jali", "revoke", "t1");
  await page.getByLabel("At most").fill("0.02");
  await page.clock.runFor(1000);
  await page.getByText("Your session has ended").waitFor();
  check((await violations(page)) === 0, "a session that ends is told in words, without a barrier (axe)");
  await page.getByLabel("Your token").fill(bob);
  await page.getByRole("button", { name: "Come in" }).click();
  await page.getByRole("heading", { name: "Ask" }).waitFor();
  check(true, "and who comes in again is where they were");
}

await play(async () => {
  await saysNothingYet();
  await saysThatItReads();
  await saysWhyNot();
  await takesAway();
  await drawsLikeTheRelease();
  await losesTheReply();
  await survivesARestart();
  await comesBackLater();
  check(forbidden.length === 0, `the page does nothing that the server's rules forbid ${forbidden.slice(0, 3)}`);
});
