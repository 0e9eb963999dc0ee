// Checks glTF files with the Khronos validator: prints errors and warnings of each, exits with 1 if any file has an error.
//
//   npm install gltf-validator        (anywhere; or set GLTF_VALIDATOR_MODULES to the node_modules folder that has it)
//   node tools/validate-gltf.mjs FILE...
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const folder = process.env.GLTF_VALIDATOR_MODULES;
const require = createRequire(folder ? path.join(path.resolve(folder), "..", "x.js") : path.join(process.cwd(), "x.js"));
const { validateBytes } = require("gltf-validator");

let failed = false;
for (const file of process.argv.slice(2)) {
  const external = (uri) => readFile(path.join(path.dirname(file), decodeURIComponent(uri)));
  const report = await validateBytes(new Uint8Array(await readFile(file)), { uri: file, externalResourceFunction: external, maxIssues: 0 });
  const { numErrors, numWarnings, messages } = report.issues;
  console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings`);
  for (const m of messages.filter((m) => m.severity <= (process.env.GLTF_VALIDATOR_WARNINGS ? 1 : 0)).slice(0, 20)) console.log(`  ${m.code} at ${m.pointer}: ${m.message}`);
  failed ||= numErrors > 0;
}
process.exit(failed ? 1 : 0);
