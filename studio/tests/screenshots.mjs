// Pictures of the page to look at: three times, light and dark, desktop and phone. node tests/screenshots.mjs [PAGE.html]

import { pathToFileURL } from 'node:url';
import { snake } from '../scripts/sample.mjs';
import { startBrowser, write, writePage } from './browser.mjs';

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const given = process.argv[2];
const address = given ? pathToFileURL(given).href : writePage('snake', snake());
const browser = await startBrowser();
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.open(address, { viewport, colorScheme, hasTouch: size === 'phone' });
    const press = async (keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const looks = {
      start: () => {},
      middle: async () => {
        await page.evaluate(() => window.holonomy.player.seek(window.holonomy.player.duration * 0.55));
        await press('gvmn');
      },
      end: async () => {
        await press(['End', 'm', 'n', 'f']);
        await page.click('#tab-summary');
      },
      scene: () => page.click('#tab-scene'),
      sheet: () => press('?'),
    };
    for (const [name, prepare] of Object.entries(looks)) {
      await prepare();
      await page.waitForTimeout(250);
      console.log(write(`${size}-${colorScheme}-${name}.png`, await page.screenshot()));
    }
    if (page.seen.errors.length) console.error(page.seen.errors);
    await page.close();
  }
}
await browser.close();
