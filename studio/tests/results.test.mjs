// Pages that the program itself wrote: HOLONOMY_PAGES names them, separated by colons. `./check` runs this after a few real runs.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { differing, picture, startBrowser } from './browser.mjs';

const pages = (process.env.HOLONOMY_PAGES ?? '').split(':').filter(Boolean);
let browser;
before(async () => {
  if (pages.length) browser = await startBrowser();
});
after(() => browser?.close());

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
