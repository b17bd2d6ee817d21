// A real server with a vault like the demo's and a real browser, for the tests of the page. TAP on standard output.
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const jali = resolve(process.argv[2]);
const checkers = resolve(process.argv[3]);
const shots = process.argv[4] && resolve(process.argv[4]);
const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);

let number = 0;
export function check(good, sentence) {
  number++;
  console.log(`${good ? "ok" : "not ok"} ${number} - ${sentence}`);
}

function skip(why) {
  console.log(`1..1\nok 1 - the page in a browser # SKIP ${why}`);
  process.exit(0);
}

if (!chromiumPath || !existsSync(join(checkers, "node_modules/playwright-core"))) skip("Chromium or its driver is missing: make judges");
const require = createRequire(join(checkers, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const home = mkdtempSync(join(tmpdir(), "jali-web-"));
export const run = (...words) => execFileSync(jali, words, { cwd: home, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** The vault h.jali, with a registered model. */
export function makeVault() {
  run("mock", "hospital", "-n", "20000", "-o", "h.csv", "--schema", "h.json");
  run("init", "h.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "10", "--delta", "1e-6");
  copyFileSync(new URL("../../tools/demo-model", import.meta.url), join(home, "risk"));
  run("model", "h.jali", "add", "risk", "--model", "command:./risk", "--declared", "public", "--bounds", "0:1", "--columns", "age,bmi");
}

let server;
let served;
export let address;
let browser;

async function start(listen) {
  server = spawn(jali, ["serve", ...served, "--listen", listen, "--log", "log"], { cwd: home });
  address = await new Promise((good, bad) => {
    server.stdout.once("data", (d) => good(String(d).trim()));
    server.once("exit", (code) => bad(new Error(`the server does not start at ${listen}: ${code}`)));
  });
}

async function endServer() {
  if (server.exitCode !== null || server.signalCode !== null) return; // a test killed it
  const gone = new Promise((r) => server.once("exit", r));
  server.kill("SIGKILL");
  await gone;
}

/** The server is killed and started anew at the same address: it remembers the vault, and nobody's session. */
export async function restartServer(meanwhile = async () => undefined) {
  await endServer();
  await meanwhile();
  await start(new URL(address).host);
}

export async function serve(...vaults) {
  served = vaults;
  await start("127.0.0.1:0");
  if ((await (await fetch(address)).text()).includes("without its page")) {
    server.kill("SIGKILL");
    skip("the program was built without its page: make");
  }
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
}

export const killServer = () => server.kill("SIGKILL");
export const newContext = (options) => browser.newContext(options);

export async function violations(page) {
  await page.evaluate(axe);
  let found = await page.evaluate(() => window.axe.run());
  // A page that is being drawn anew is not what anybody reads: what stays is a barrier.
  for (let i = 0; i < 3 && found.violations.length > 0; i++) {
    await page.waitForTimeout(500);
    found = await page.evaluate(() => window.axe.run());
  }
  for (const v of found.violations) console.log(`# ${v.id}: ${v.help}: ${v.nodes[0]?.html}`);
  return found.violations.length;
}

export const forbidden = []; // what the page tried against the server's rules

/** A browser of somebody's own, at the door. */
export async function atTheDoor(options = {}) {
  const context = await browser.newContext({ viewport: { width: 960, height: 1000 }, ...options });
  const page = await context.newPage();
  await page.exposeFunction("tellForbidden", (what) => forbidden.push(what));
  // Chromium's own editing of a contenteditable is stopped, too; that is not the page's doing. It is told a moment
  // later, when the keyboard may be elsewhere already.
  await page.addInitScript(() => {
    let left = -Infinity; // when the editor was left
    addEventListener("focusout", (e) => e.target instanceof Element && e.target.closest(".editor") && (left = performance.now()), true);
    const editing = () => document.querySelector(".editor:focus-within") || performance.now() - left < 2000;
    addEventListener("securitypolicyviolation", (e) => {
      if (e.violatedDirective !== "style-src-attr" || !editing()) window.tellForbidden(`${e.violatedDirective} ${e.blockedURI}`);
    }, true);
  });
  page.setDefaultTimeout(30000);
  await page.goto(address);
  return page;
}

export async function newPerson(token, options = {}) {
  const page = await atTheDoor(options);
  await page.getByLabel("Your token").fill(token);
  await page.getByRole("button", { name: "Come in" }).click();
  return page;
}

export async function shot(page, name) {
  if (shots) await page.screenshot({ path: join(shots, name + ".png"), fullPage: true });
}

/** Runs the story to its end, or tells where it stopped. */
export async function play(tell) {
  try {
    await tell();
  } catch (e) {
    check(false, "the story went on to its end");
    console.log("# " + String(e.message).replaceAll("\n", "\n# "));
  }
  await browser.close();
  await endServer();
  rmSync(home, { recursive: true });
  console.log(`1..${number}`);
}
