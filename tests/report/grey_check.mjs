// Can everything that stands beside another in a chart be told from it without colours? Looks at the page's own
// styles in Chromium, light, dark and printed, with all colours made grey.
// usage: node grey_check.mjs NODE_MODULES PAGE.html [STYLE]      STYLE is added to the page's: for a twin that must fail
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , modules, page, more] = process.argv;
const require = createRequire(pathToFileURL(modules + "/x.js"));
const { chromium } = require("playwright-core");
const path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const FAR = 1.5; // as a ratio of luminances, by the formula of WCAG
const problems = [];

/* Each group is drawn together in some chart. */
const groups = { lines: ["la", "lb", "lc", "ld"], bars: ["bar", "ghost"], ends: ["heat", "p"] };

function look(groups) {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const on = (css, opacity) => {
    pen.globalAlpha = 1;
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
    pen.fillRect(0, 0, 1, 1);
    pen.globalAlpha = opacity;
    pen.fillStyle = css;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "jali");
  document.body.append(svg);
  return Object.entries(groups).map(([name, classes]) => [name, classes.map((c) => {
    const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
    shape.setAttribute("class", c);
    svg.append(shape);
    const s = getComputedStyle(shape);
    const stroked = name === "lines";
    return { c, dash: s.strokeDasharray, light: on(stroked ? s.stroke : s.fill, stroked ? 1 : Number(s.fillOpacity)) };
  })]);
}

function judge(how, found) {
  for (const [, members] of found)
    for (const [i, a] of members.entries())
      for (const b of members.slice(i + 1)) {
        const ratio = (Math.max(a.light, b.light) + 0.05) / (Math.min(a.light, b.light) + 0.05);
        if (ratio < FAR && a.dash === b.dash) problems.push(`${how}: .${a.c} and .${b.c} look alike in grey (${ratio.toFixed(2)})`);
      }
}

const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });
for (const how of ["light", "dark", "print"]) {
  const tab = await browser.newPage({ colorScheme: how === "dark" ? "dark" : "light" });
  await tab.emulateMedia({ media: how === "print" ? "print" : "screen" });
  await tab.setContent(readFileSync(page, "utf8"));
  if (more) await tab.addStyleTag({ content: more });
  judge(how, await tab.evaluate(look, groups));
}
await browser.close();
process.stdout.write(problems.map((p) => p + "\n").join(""));
process.exit(problems.length ? 1 : 0);
