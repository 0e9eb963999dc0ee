// Makes a page by hand, as the program does: node scripts/make-page.mjs DATA.json MODEL.glb OUT.html

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The two places of the template that the program fills; each occurs in it exactly once. */
export const DATA_MARKER = '<script type="application/json" id="holonomy-data"></script>';
export const MODEL_MARKER = '<script type="application/octet-stream" id="holonomy-glb"></script>';

/** The built template. */
export function template() {
  return readFileSync(new URL('../dist/index.html', import.meta.url), 'utf8');
}

/** The page with a policy that allows its own scripts and styles by their SHA-256, and no others. */
export function withHashes(page) {
  const hashes = (element) =>
    [...page.matchAll(new RegExp(`<${element}(?![^>]*type="application/)[^>]*>(.*?)</${element}`, 'gs'))]
      .map(([, content]) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`)
      .join(' ');
  return page
    .replace("script-src 'unsafe-inline'", () => `script-src ${hashes('script')}`)
    .replace("style-src 'unsafe-inline'", () => `style-src ${hashes('style')}`);
}

/** The page of a result: `data` an object, `model` the bytes of a .glb or null. */
export function makePage(data, model, page = template()) {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c'); // a "</script>" in the scene file must not end the element
  const base64 = model ? Buffer.from(model).toString('base64') : '';
  return withHashes(page)
    .replace(DATA_MARKER, () => DATA_MARKER.replace('><', () => `>${json}<`))
    .replace(MODEL_MARKER, () => MODEL_MARKER.replace('><', () => `>${base64}<`));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [data, model, out] = process.argv.slice(2);
  if (!out) {
    console.error('usage: node scripts/make-page.mjs DATA.json MODEL.glb OUT.html');
    process.exit(2);
  }
  writeFileSync(out, makePage(JSON.parse(readFileSync(data, 'utf8')), readFileSync(model)));
}
