// Is a Vega-Lite specification what its schema says, does it compile without a warning, and
// does Vega draw it? usage: node vega_check.mjs NODE_MODULES SPEC.json
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , modules, path] = process.argv;
const require = createRequire(pathToFileURL(modules + "/x.js"));
const spec = JSON.parse(readFileSync(path, "utf8"));
const problems = [];

const Ajv = require("ajv").default;
const ajv = new Ajv({ allErrors: false, strict: false });
require("ajv-formats").default(ajv);
ajv.addFormat("color-hex", () => true);
const schema = JSON.parse(readFileSync(modules + "/vega-lite/build/vega-lite-schema.json", "utf8"));
const valid = ajv.compile(schema);
if (!valid(spec)) problems.push(...valid.errors.slice(0, 5).map((e) => `${e.instancePath} ${e.message}`));

const vegaLite = await import(pathToFileURL(modules + "/vega-lite/build/vega-lite.js"));
const vega = await import(pathToFileURL(modules + "/vega/build/vega-node.js"));
const said = [];
const logger = { level: () => logger, error: (...m) => (said.push(m.join(" ")), logger),
  warn: (...m) => (said.push(m.join(" ")), logger), info: () => logger, debug: () => logger };
const lite = (vegaLite.default ?? vegaLite).compile(spec, { logger });
problems.push(...said);
const engine = vega.default ?? vega;
const svg = await new engine.View(engine.parse(lite.spec), { renderer: "none" }).toSVG();
if (!svg.includes("<path") && !svg.includes("<rect")) problems.push("Vega drew nothing");
process.stdout.write(process.argv[4] === "svg" ? svg : problems.map((p) => p + "\n").join(""));
process.exit(problems.length ? 1 : 0);
