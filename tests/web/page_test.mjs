// The real page in a real browser against the real server. TAP on standard output.
// usage: node page_test.mjs JALI CHECKERS (the folder of tools/deps-judges) [SHOTS]
import { readFileSync } from "node:fs";
import { address, check, forbidden, killServer, makeVault, newContext, newPerson, play, run, serve, shot, violations } from "./browser.mjs";

makeVault();
run("model", "h.jali", "add", "alone", "--model", "command:./risk", "--declared", "public", "--bounds", "0:1", "--columns", "age,bmi", "--label", "living=alone");
const eve = run("token", "h.jali", "add", "--name", "eve");
const ann = run("token", "h.jali", "add", "--name", "ann", "--role", "curator");
run("init", "last.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "1", "--delta", "1e-6");
const racers = ["una", "duo"].map((name) => run("token", "last.jali", "add", "--name", name));
await serve("h.jali", "last.jali");

async function tell() {
  const fresh = await (await newContext()).newPage();
  await fresh.goto(address);
  await fresh.getByLabel("Your token").waitFor();
  const bytes = await fresh.evaluate(() => [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")].reduce((n, e) => n + e.encodedBodySize, 0));
  check(bytes > 10000 && bytes <= 300 * 1024, `the first load is ${(bytes / 1024).toFixed(0)} kB, at most 300`);

  let page = await newPerson(eve.slice(0, -1) + "!");
  check((await page.getByRole("alert").textContent()).includes("opens nothing"), "a wrong token opens nothing");
  check((await violations(page)) === 0, "the door has no barrier for anybody (axe)");

  page = await newPerson(eve);
  await page.getByRole("heading", { name: "Ask" }).waitFor();
  await page.getByLabel("What").selectOption("AVG");
  await page.getByLabel("Column").selectOption("cost");
  await page.getByLabel("For each").selectOption("ward");
  await page.getByLabel("At most").fill("1");
  const spend = page.getByRole("button", { name: /Spend this/ });
  await spend.waitFor();
  check((await page.getByLabel("price").textContent()).includes("after"), "the price appears as one types");
  const price = page.getByLabel("price");
  const taken = async () => Number(/takes ([\d.]+)% of the budget/.exec(await price.textContent())?.[1]);
  const within = async () => Number(/within ([\d.,]+)/.exec((await price.textContent()).replaceAll(",", ""))?.[1]);
  const [dear, close] = [await taken(), await within()];
  await page.getByLabel("At most").fill("2");
  await page.waitForFunction((old) => { const m = /takes ([\d.]+)% of the budget/.exec(document.querySelector(".price")?.textContent ?? ""); return m && m[1] !== String(old); }, dear);
  check((await taken()) > dear && (await within()) < close, `budget first: twice the epsilon takes more (${dear}% to ${await taken()}%) and is closer (${close} to ${await within()})`);
  await page.getByLabel("What").selectOption("COUNT");
  await page.getByLabel("I say the accuracy").check();
  await page.getByLabel("Every count and sum within").fill("40");
  await page.getByRole("button", { name: /Spend this/ }).waitFor();
  const far = await taken();
  await page.getByLabel("Every count and sum within").fill("20");
  await page.waitForFunction((old) => { const m = /takes ([\d.]+)% of the budget/.exec(document.querySelector(".price")?.textContent ?? ""); return m && m[1] !== String(old); }, far);
  check((await within()) <= 20 && (await taken()) > far, `accuracy first: the price of half the error follows (${far}% to ${await taken()}%)`);
  await page.getByLabel("I say the cost").check();
  await page.getByLabel("What").selectOption("AVG");
  await page.getByLabel("At most").fill("1");
  await spend.waitFor();
  check((await violations(page)) === 0, "the question has no barrier (axe)");
  await shot(page, "ask");
  await page.getByLabel("Only where").fill("wardd = 'x'");
  check((await page.getByRole("alert").textContent()).includes("^"), "a mistake is pointed at");
  await page.getByLabel("Only where").fill("");
  await spend.click();
  await page.getByRole("heading", { name: "Release r1" }).waitFor();
  await page.locator(".picture svg").first().waitFor();
  check((await page.locator("figcaption").first().textContent()).includes("AVG(cost)"), "the answer has a title that names what it is about");
  check((await violations(page)) === 0, "the answer has no barrier (axe)");
  await shot(page, "release");
  await page.reload();
  await page.getByRole("heading", { name: "Release r1" }).waitFor();
  check(true, "a release has an address of its own, and a reload keeps the session");
  await page.locator(".picture svg").first().waitFor();
  const chips = await page.getByLabel("groups to compare").getByRole("button").allTextContents();
  const bar = async (name) => {
    const picture = page.locator(".picture").first();
    let box = null; // a picture is drawn anew when there is more room
    while (!box) box = await picture.locator("svg").boundingBox();
    const i = chips.indexOf(name);
    await picture.click({ position: { x: box.width * 0.6, y: 20 + (box.height - 62) * ((i + 0.5) / chips.length) } });
  };
  await bar("cardiology");
  await bar("surgery");
  await page.getByRole("heading", { name: "Why is cardiology above surgery?" }).waitFor();
  check(true, "two bars are clicked");
  await page.getByLabel("At most").fill("2");
  await page.getByRole("button", { name: "Spend this and explain" }).waitFor();
  check((await page.getByLabel("why").textContent()).includes("data says so"), "two groups chosen: could it be the noise? is free");
  check((await violations(page)) === 0, "the drawer has no barrier (axe)");
  await page.getByRole("button", { name: "Spend this and explain" }).click();
  await page.getByRole("heading", { name: "Release w1" }).waitFor();
  await page.locator(".picture svg").first().waitFor();
  check((await page.locator("article").textContent()).includes("infarction"), "why: the planted reason is found");
  check((await violations(page)) === 0, "the explanation has no barrier (axe)");
  await shot(page, "why");
  const firstReason = () => page.locator(".why tbody tr").first().locator("th").textContent();
  const best = await firstReason();
  await page.getByRole("button", { name: /explains/ }).click();
  await page.getByRole("button", { name: /explains/ }).click();
  check((await page.locator('.why th[aria-sort="ascending"]').count()) === 1 && (await firstReason()) !== best, "reasons are sorted as one likes");
  await page.getByRole("button", { name: "add to report" }).click();
  await page.locator(".why .chip").filter({ hasText: "infarction" }).click();
  await page.getByRole("heading", { name: "Ask" }).waitFor();
  check((await page.getByLabel("Only where").inputValue()).includes("infarction"), "a reason's chip asks with it");
  await page.goto(address + "/#/releases/r1");
  await page.getByRole("heading", { name: "Release r1" }).waitFor();
  await page.getByRole("button", { name: "what does the interval mean?" }).click();
  await page.getByRole("button", { name: "draw again" }).click();
  check((await page.getByText("Redraw 1").count()) === 1, "the noise can be drawn again, free");
  await page.getByRole("button", { name: "draw a hundred times" }).click();
  const said = await page.getByText(/intervals \d+ held the number/).textContent();
  const share = Number(/: ([\d.]+)%/.exec(said)?.[1]);
  check(share > 88 && share < 99.9, `a hundred redraws show what 95% means (${share}%)`);
  await page.getByRole("button", { name: "add to report" }).click();
  await page.getByLabel("Intervals cover with").selectOption("0.5");
  await page.getByText("covers its true number with 50%").first().waitFor();
  check(true, "the confidence is free to change");

  await page.getByRole("link", { name: "Clusters" }).click();
  for (const c of ["age", "bmi", "pressure", "glucose"]) await page.getByLabel(c, { exact: true }).check();
  await page.getByRole("button", { name: /Spend this/ }).click();
  await page.getByRole("button", { name: /Working/ }).waitFor();
  await page.waitForFunction(() => sessionStorage.getItem("jali.job"));
  await page.reload();
  await page.getByText("is being answered").or(page.getByRole("heading", { name: "Release c1" })).first().waitFor();
  await page.getByRole("heading", { name: "Release c1" }).waitFor();
  check((await page.evaluate(() => sessionStorage.getItem("jali.job"))) === null, "a reload in the middle of a job ends at its release");
  await page.locator(".picture svg").nth(1).waitFor();
  const cards = page.locator(".card");
  const many = Number(/(\d+) clusters have the highest silhouette/.exec(await page.locator("article").textContent())?.[1]);
  const ofCards = await cards.allTextContents();
  check(many >= 2 && ofCards.length === many && ofCards.every((t) => /\d+ \(\d+ to \d+\) rows/.test(t) && t.includes("around")), `each of ${many} clusters has a card: its size with an interval, and its centre; a curve tells why so many`);
  check((await violations(page)) === 0, "clusters, with the curve of how many, have no barrier (axe)");
  await shot(page, "clusters");
  await page.getByRole("link", { name: "What tells these clusters apart?" }).click();
  await page.getByRole("button", { name: /Spend this/ }).click();
  await page.getByRole("heading", { name: "Release p1" }).waitFor();
  await page.locator(".picture svg").first().waitFor();
  check((await page.locator("article").textContent()).includes("elsewhere"), "each cluster is told apart from the rest");
  await page.goto(address + "/#/releases/c1");
  await page.locator(".card .picture svg").nth(many - 1).waitFor();
  check((await cards.allTextContents()).every((t) => t.includes("elsewhere")), "and then every card has what tells its cluster apart");
  await page.goto(address + "/#/releases/p1");
  await page.getByRole("heading", { name: "Release p1" }).waitFor();
  await page.locator(".picture svg").first().waitFor();
  check((await violations(page)) === 0, "the profile has no barrier (axe)");
  const sides = await page.evaluate(() => {
    const pen = document.createElement("canvas").getContext("2d");
    const grey = (css) => {
      pen.fillStyle = css;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const fills = [...document.querySelectorAll(".picture .sides rect")].map((r) => getComputedStyle(r).fill);
    return [...new Set(fills)].map(grey).sort();
  });
  check(sides.length === 2 && (sides[1] + 0.05) / (sides[0] + 0.05) > 2, "the two histograms can be told apart without colours");
  await shot(page, "profile");
  await page.getByRole("link", { name: "Places" }).click();
  await page.getByLabel("x", { exact: true }).check();
  await page.getByLabel("y", { exact: true }).check();
  await page.getByRole("button", { name: /Spend this/ }).click();
  await page.getByRole("heading", { name: "Release k1" }).waitFor();
  await page.locator(".drawer .picture svg").first().waitFor();
  const map = page.locator(".drawer .picture").last();
  const told = await map.locator("svg[role='img'] rect > title").allTextContents();
  check(told.length > 100 && told.every((t) => /^\S+ \(\S+ to \S+\)/.test(t)), "every cell of the map tells its value and its interval");
  const hatched = await map.locator(".hatch path").count();
  check(hatched === told.filter((t) => t.endsWith("within its error of nothing")).length, "cells that may be nothing are hatched, no others");
  const unspent = run("budget", "h.jali", "--format", "json");
  const frame = await map.boundingBox();
  await map.click({ position: { x: frame.width * 0.9, y: frame.height * 0.2 } });
  await page.getByText(/would raise the total distance/).waitFor();
  const cost = await page.getByLabel("what would it cost here?").textContent();
  check(/total distance by \S+ \(\S+ to \S+\)/.test(cost) && cost.includes("cost" + "nothing") && run("budget", "h.jali", "--format", "json") === unspent,
    "a click on the map tells what a centre there would cost, with an interval; it says free, and is");
  const put = [await page.getByLabel("x", { exact: true }).inputValue(), await page.getByLabel("y", { exact: true }).inputValue()].map(Number);
  const cross = await map.locator("text").filter({ hasText: "✕" }).last().boundingBox();
  check(put.every((v) => v > 0 && v < 40) && Math.abs(cross.x + cross.width / 2 - frame.x - frame.width * 0.9) < 6 && Math.abs(cross.y + cross.height / 2 - (await map.boundingBox()).y - frame.height * 0.2) < 8,
    "and the cross stands where one has clicked");
  check((await violations(page)) === 0, "the map has no barrier (axe)");
  await shot(page, "places");

  await page.getByRole("link", { name: "Models" }).click();
  await page.getByRole("heading", { name: "Models" }).waitFor();
  await page.getByLabel(/^Model/).selectOption("risk");
  check((await page.getByLabel("importance").count()) === 0 && (await page.getByText("so its importance cannot be shown").count()) === 1, "a model that predicts nothing known has no importance, and the page says why");
  await page.getByLabel("Column of the curve").selectOption("age");
  await page.getByRole("button", { name: /Spend this/ }).waitFor();
  check((await violations(page)) === 0, "models have no barrier (axe)");
  await page.getByRole("button", { name: /Spend this/ }).click();
  await page.getByRole("heading", { name: "Release m1" }).waitFor();
  await page.locator(".picture svg").first().waitFor();
  check((await page.locator("article").textContent()).includes("age"), "a registered model is portrayed");
  check((await violations(page)) === 0, "the portrait has no barrier (axe)");
  await shot(page, "model");
  for (const [i, view] of ["local effects", "importance"].entries()) {
    await page.getByRole("link", { name: "Models" }).click();
    await page.getByLabel(/^Model/).selectOption("alone");
    await page.getByLabel(view).check();
    await page.getByRole("button", { name: /Spend this/ }).click();
    await page.getByRole("heading", { name: `Release m${i + 2}` }).waitFor();
    await page.locator(".picture svg").first().waitFor();
    const text = await page.locator("article").textContent();
    check(/95%/.test(text) && (await violations(page)) === 0, `${view} of a model, with what 95% cover, without a barrier (axe)`);
    await shot(page, "model-" + view.replace(" ", "-"));
  }
  await page.goto(address + "/#/releases/m1");
  await page.locator('.picture [aria-label], .picture svg[role="img"]').first().waitFor();
  check((await page.locator(".picture svg path[fill-opacity='0.22'], .picture svg g[fill-opacity='0.22'] path").count()) >= 1, "the curve has a band");
  await page.getByRole("link", { name: "Report" }).click();
  await page.getByRole("heading", { name: "What will stand in it" }).waitFor();
  await page.locator(".story .picture svg").first().waitFor();
  check((await page.getByLabel("what stands in the report").getByRole("listitem").count()) === 2, "what was added stands in the report");
  check((await violations(page)) === 0, "the report has no barrier (axe)");
  await shot(page, "report");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: /HTML/ }).click()]);
  const saved = readFileSync(await download.path(), "utf8");
  check(saved.includes("<html") && saved.includes("w1") && saved.includes("r1") && !/https?:\/\/(?!www\.w3\.org)/.test(saved.replace(/<a [^>]*>/g, "")), "the report is saved as one page without network");
  await page.context().setOffline(true);
  await page.getByText("You are offline").waitFor();
  check((await violations(page)) === 0, "being offline is told in words, without a barrier (axe)");
  await page.context().setOffline(false);
  await page.getByText("You are offline").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Releases" }).click();
  await page.getByRole("link", { name: /r1/ }).waitFor();
  check((await violations(page)) === 0, "the list of releases has no barrier (axe)");
  await page.getByRole("link", { name: "Budget" }).click();
  await page.getByRole("heading", { name: "Budget", exact: true }).waitFor();
  await page.getByText("eve").first().waitFor();
  check((await violations(page)) === 0, "the budget has no barrier (axe)");
  const words = await page.locator(".lead").textContent();
  check(/[\d.]+% of the budget is spent \(eve [\d.]+%\), and [\d.]+% is left .* about \d+ more answers/.test(words), `the budget in words: ${words.slice(0, 70)}…`);
  const releases = await page.getByLabel("who spent it on what").getByRole("row").count() - 1;
  const line = page.getByRole("img", { name: new RegExp(`After ${releases} releases`) });
  await line.waitFor();
  check(releases >= 8 && (await line.locator("circle").count()) === releases + 1 && (await line.textContent()).includes("all that may ever be spent"), "and as a line, release by release, under the cap");
  await shot(page, "budget");
  check((await page.getByRole("link", { name: "Ledger" }).count()) === 0, "an analyst is not shown the ledger");
  await page.getByRole("button", { name: "leave" }).click();
  await page.getByLabel("Your token").waitFor();
  check(true, "leaving asks for a token again");

  page = await newPerson(ann, { colorScheme: "dark", viewport: { width: 360, height: 740 } });
  await page.getByRole("link", { name: "Ledger" }).click();
  await page.getByRole("button", { name: /verify/ }).click();
  await page.getByText("The ledger holds").waitFor();
  check((await violations(page)) === 0, "the ledger has no barrier in the dark (axe)");
  for (const place of ["ask", "clusters", "places", "profiles", "models", "report", "releases", "releases/r1", "releases/w1", "releases/c1", "releases/p1", "releases/k1", "releases/m1", "budget", "ledger", "claims", "curator"]) {
    await page.goto(address + "/#/" + place);
    await page.waitForTimeout(500);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 360 && (await violations(page)) === 0, `${place} fits 360 points (${wide}) and has no barrier in the dark (axe)`);
    await shot(page, "small-dark-" + place.replace("/", "-"));
  }
  await page.getByLabel("Name").fill("zoe");
  await page.getByRole("button", { name: "make a token" }).click();
  await page.getByText(/jali_t3_/).waitFor();
  check((await violations(page)) === 0, "the curator's page has no barrier (axe)");
  await page.getByRole("button", { name: "verify every hash and sum" }).click();
  await page.getByText("The ledger holds").waitFor();
  check(true, "the curator verifies the ledger");
  await page.getByLabel(/^Analyst/).fill("zoe");
  await page.getByLabel("Share of the cap").fill("0.1");
  await page.getByRole("button", { name: "set", exact: true }).click();
  await page.getByRole("button", { name: "revoke zoe" }).click();
  await page.getByText("revoked").waitFor();
  check(/"what": "quota",\s*"subject": "zoe",\s*"body": "\{\\"ppm\\":100000\}"/.test(run("ledger", "h.jali", "log", "--format", "json")), "and gives a quota, and takes a token back");

  page = await newPerson(ann);
  await page.getByRole("heading", { name: "Ask" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  check(await page.evaluate(() => document.activeElement !== document.body), "the page can be walked by keyboard");
  await page.getByRole("button", { name: "write it in SQL" }).click();
  await page.getByLabel("question in SQL").waitFor();
  check((await violations(page)) === 0, "the editor has no barrier (axe)");
  await page.getByLabel("question in SQL").press("Control+a");
  await page.getByLabel("question in SQL").pressSequentially("select co");
  await page.getByLabel("question in SQL").press("Control+Space");
  await page.getByRole("option", { name: "cost" }).waitFor();
  check(true, "the editor completes the words of the schema");

  const runners = await Promise.all(racers.map((t) => newPerson(t)));
  for (const [i, p] of runners.entries()) {
    await p.getByLabel("For each").selectOption(["ward", "sex"][i]);
    await p.getByLabel("At most").fill("0.8");
    await p.getByRole("button", { name: /Spend this/ }).waitFor();
  }
  await Promise.all(runners.map((p) => p.getByRole("button", { name: /Spend this/ }).click()));
  const ends = await Promise.all(runners.map((p) => Promise.race([
    p.getByRole("heading", { name: /Release r/ }).waitFor().then(() => "answered"),
    p.getByText("The budget says no.").waitFor().then(() => "refused"),
  ])));
  check(ends.sort().join() === "answered,refused", `two who race for the last of the budget: one is answered, one is told no (${ends})`);
  await runners[0].goto(address + "/#/ask");
  await runners[0].getByLabel("At most").fill("5");
  await runners[0].getByText("The budget says no.").waitFor();
  check((await violations(runners[0])) === 0, "over budget is told in words, without a barrier (axe)");

  check(forbidden.length === 0, `the page does nothing that the server's rules forbid ${forbidden.slice(0, 3)}`);
  killServer();
  await page.getByLabel("At most").fill("0.3");
  await page.getByText("does not answer").waitFor();
  check(true, "a server that is gone is told in words");
}

await play(tell);
