// Pages that the program itself wrote: HOLONOMY_PAGES names them, separated by colons. `./check` runs this after a few real runs.
// HOLONOMY_SERVED is the address that `holonomy view` printed, if it serves one.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { differing, picture, startBrowser } from './browser.mjs';

const pages = (process.env.HOLONOMY_PAGES ?? '').split(':').filter(Boolean);
let browser;
before(async () => {
  if (pages.length || process.env.HOLONOMY_SERVED) browser = await startBrowser();
});
after(() => browser?.close());

const served = process.env.HOLONOMY_SERVED;
test('a page that is served says that it is there, and when it goes', {
  skip: !served && 'none is served',
}, async () => {
  const page = await browser.open(served);
  const answers = [];
  page.on('response', (response) => answers.push([response.url(), response.status()]));
  await page.waitForResponse((response) => response.url() === `${served}alive`);
  await page.waitForResponse((response) => response.url() === `${served}alive`);
  assert.deepEqual(page.seen.errors, [], 'the console stays empty');
  assert.ok(
    answers.length >= 2 && answers.every(([url, status]) => url === `${served}alive` && status === 204),
    answers,
  );
  await page.goto('about:blank');
  await page.close();
  const gone = async () => {
    try {
      await fetch(`${served}alive`, { headers: { connection: 'close' } });
      return false;
    } catch {
      return true;
    }
  };
  const begun = Date.now();
  // Asking keeps it alive, so only once: it stays for two seconds after the page has gone.
  await new Promise((done) => setTimeout(done, 8000));
  assert.ok(await gone(), `the server has ended, ${Date.now() - begun} ms after its page was closed`);
});

test('HOLONOMY_PAGES names pages to open', { skip: pages.length > 0 || 'no pages were named' }, () => {});

for (const file of pages) {
  test(`${file.split('/').at(-1)} shows a body that moves, and asks for nothing`, async () => {
    const address = pathToFileURL(file).href;
    const page = await browser.open(address);
    try {
      await page.keyboard.press('Home');
      const start = await picture(page);
      const shades = new Set();
      for (let i = 0; i < start.pixels.length; i += start.channels) shades.add(start.pixels.readUInt16BE(i) >> 3);
      assert.ok(shades.size > 40, `${shades.size} shades: the view is not blank`);

      const bodies = await page.evaluate(() => window.holonomy.view.bodies.length);
      assert.ok(bodies > 0, 'there is a body');
      await page.keyboard.press('End');
      const changed = differing(start, await picture(page));
      assert.ok(changed > 500, `${changed} pixels differ between start and end`);

      await page.keyboard.press('Home');
      await page.keyboard.press('Space');
      await page.waitForFunction(() => window.holonomy.player.frame > 3);
      await page.keyboard.press('Space');

      assert.ok(await page.locator('#message').isHidden(), 'nothing went wrong');
      assert.deepEqual(page.seen.errors, [], 'the console stays empty');
      assert.deepEqual(
        page.seen.requests.filter((url) => url !== address && !/^(blob|data):/.test(url)),
        [],
        'nothing is requested',
      );
    } finally {
      await page.close();
    }
  });
}
