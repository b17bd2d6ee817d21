// The whole story with the keyboard alone, and the page on small and wide screens, in light and dark.
// usage: node keyboard_test.mjs JALI CHECKERS (the folder of tools/deps-judges) [SHOTS]
import { address, atTheDoor, check, forbidden, makeVault, newPerson, play, run, serve, shot, violations } from "./browser.mjs";

makeVault();
const eve = run("token", "h.jali", "add", "--name", "eve");
const aud = run("token", "h.jali", "add", "--name", "aud", "--role", "auditor");
await serve("h.jali");

const unseen = new Set(); // stops of the Tab key that do not show that they have the focus

/** What has the focus: what it is called, and whether one sees that it has. */
function focus() {
  const e = document.activeElement;
  // No stop of the Tab key: where the page puts the focus when it turns over, perhaps just after a Tab.
  if (!e || e === document.body || e.id === "main") return { name: "", seen: true };
  const name = (e.labels?.[0]?.firstChild?.textContent || e.getAttribute("aria-label") || e.textContent || "").trim();
  const ringed = (x) => { const s = getComputedStyle(x); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2; };
  const box = e.getBoundingClientRect();
  return { name, seen: (ringed(e) || !!e.closest(".cm-editor.cm-focused")) && box.width > 0 && box.height > 0 };
}

/** Presses Tab until something of this name has the focus. */
async function tabTo(page, name, most = 150) {
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    const now = await page.evaluate(focus);
    if (!now.seen) unseen.add(now.name.slice(0, 40));
    if (name.test(now.name)) return;
  }
  throw new Error(`Tab never comes to ${name}`);
}

async function fill(page, name, text) {
  await tabTo(page, name);
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
}

async function byKeyboard() {
  const page = await atTheDoor();
  await page.getByLabel("Your token").waitFor();
  await tabTo(page, /^Your token/);
  await page.keyboard.type(eve);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Ask" }).waitFor();
  await page.getByLabel("For each").waitFor();
  check(true, "the door opens by keyboard");
  await tabTo(page, /^What/);
  await page.keyboard.press("ArrowDown");
  await tabTo(page, /^Column/);
  await page.keyboard.type("cost");
  await tabTo(page, /^For each/);
  await page.keyboard.type("ward");
  check((await page.getByLabel("the question in SQL").textContent()).includes("SELECT ward, AVG(cost)"), "a question is chosen by keyboard");
  await fill(page, /^At most/, "1");
  await page.getByRole("button", { name: /Spend this/ }).waitFor();
  await tabTo(page, /^Spend this/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Release r1" }).waitFor();
  await page.locator(".picture svg").first().waitFor();
  check(await page.evaluate(() => document.activeElement?.id === "main"), "after an answer the focus is at the content, not lost");
  await tabTo(page, /^cardiology$/);
  await page.keyboard.press("Space");
  await tabTo(page, /^surgery$/);
  await page.keyboard.press("Space");
  await page.getByRole("heading", { name: "Why is cardiology above surgery?" }).waitFor();
  check(true, "two bars are chosen by keyboard");
  await fill(page, /^At most/, "2");
  await page.getByRole("button", { name: "Spend this and explain" }).waitFor();
  await tabTo(page, /^Spend this and explain/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Release w1" }).waitFor();
  await page.locator(".why tbody tr").first().waitFor();
  const first = () => page.locator(".why tbody tr").first().locator("th").textContent();
  const best = await first();
  await tabTo(page, /^explains/);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  check((await page.locator('.why th[aria-sort="ascending"]').count()) === 1 && (await first()) !== best, "reasons are asked for and sorted by keyboard");
  await tabTo(page, /^Budget$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Budget", exact: true }).waitFor();
  await page.getByText("eve").first().waitFor();
  check(true, "and the budget is reached by keyboard");
  await tabTo(page, /^Ask$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Ask" }).waitFor();
  await tabTo(page, /^write it in SQL/);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "question in SQL");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("SELECT COUNT(*) FROM hospital ");
  await tabTo(page, /^choose instead of writing/, 2);
  check(true, "the editor is no trap for the Tab key");
  await tabTo(page, /^to the content$/);
  await page.keyboard.press("Enter");
  check(await page.evaluate(() => document.activeElement?.id === "main"), "the first stop leads past the names of the pages");
  check(unseen.size === 0, `every stop shows that it has the focus ${[...unseen]}`);
}

/** Rows that can be scrolled sideways are in boxes of their own; the page itself never is. */
async function onScreens() {
  for (const colorScheme of ["light", "dark"])
    for (const width of [360, 1280, 1920]) {
      const page = await newPerson(eve, { colorScheme, viewport: { width, height: 900 } });
      await page.getByRole("heading", { name: "Ask" }).waitFor();
      for (const place of ["ask", "releases/r1", "releases/w1", "releases", "budget", "report"]) {
        await page.goto(`${address}/#/${place}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        if (place.includes("/")) await page.locator("figure").first().waitFor();
        await page.waitForTimeout(400);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        check(wide <= width && (await violations(page)) === 0, `${place} at ${width} points, ${colorScheme}: it fits (${wide}) and has no barrier (axe)`);
        await shot(page, `${width}-${colorScheme}-${place.replace("/", "-")}`);
      }
      await page.context().close();
    }
}

async function forTheAuditor() {
  const page = await newPerson(aud, { viewport: { width: 1280, height: 900 } });
  await page.getByRole("heading", { name: "Ledger" }).waitFor();
  check((await page.getByRole("link", { name: "Ask" }).count()) === 0, "an auditor is not offered to spend");
  await page.getByRole("link", { name: "Claims" }).click();
  await page.getByText(/\d+ of \d+ claims/).waitFor();
  await page.getByLabel("Only those that say").fill("noise.gauss");
  await page.getByText("noise.gauss", { exact: true }).click();
  await page.getByText("proofs/noise.md (proven)").first().waitFor();
  check((await page.locator(".claims details[open]").textContent()).includes("rho-zCDP"), "an auditor reads what is promised, with its proof");
  check((await violations(page)) === 0, "the claims have no barrier (axe)");
  await shot(page, "claims");
  await page.getByLabel("Only those that say").fill("no such thing");
  await page.getByText('No claim says "no such thing"').waitFor();
  check(true, "no claim found is told in words");
}

await play(async () => {
  await byKeyboard();
  await onScreens();
  await forTheAuditor();
  check(forbidden.length === 0, `the page does nothing that the server's rules forbid ${forbidden.slice(0, 3)}`);
});
