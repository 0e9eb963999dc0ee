#!/usr/bin/env node
// Runs the Khronos glTF validator over files: one line each, then its errors; exit code 1 if any file has an error.
//
//   GLTF_VALIDATOR_MODULES=.../node_modules node tools/validate-gltf.mjs FILE...
//
// The package `gltf-validator` is taken from $GLTF_VALIDATOR_MODULES, or from where Node finds it.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";

const SHOWN = 20; // errors printed per file

const modules = process.env.GLTF_VALIDATOR_MODULES;
const require = createRequire(modules ? join(resolve(modules), "from-here.js") : import.meta.url);
const validator = require("gltf-validator");

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: validate-gltf.mjs FILE...");
  process.exit(2);
}

let bad = 0;
for (const file of files) {
  if (!(await validate(file))) bad += 1;
}
process.exit(bad === 0 ? 0 : 1);

async function validate(file) {
  let issues;
  try {
    const report = await validator.validateBytes(new Uint8Array(await readFile(file)), {
      uri: basename(file),
      maxIssues: 1000,
      externalResourceFunction: async (uri) => new Uint8Array(await readFile(join(dirname(file), decodeURIComponent(uri)))),
    });
    issues = report.issues;
  } catch (error) {
    console.log(`${file}: cannot be validated: ${error?.message ?? error}`);
    return false;
  }
  console.log(`${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
  const errors = issues.messages.filter((message) => message.severity === 0);
  for (const error of errors.slice(0, SHOWN)) {
    console.log(`    ${error.pointer ?? (error.offset === undefined ? "" : `byte ${error.offset}`)}: ${error.code}: ${error.message}`);
  }
  return issues.numErrors === 0;
}
