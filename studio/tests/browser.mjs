// Debian's Chromium on pages from disk, with software rendering, so that it goes the same everywhere.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { makePage } from '../scripts/make-page.mjs';

const OUT = fileURLToPath(new URL('out/', import.meta.url));
const ARGS = [
  '--no-sandbox',
  '--disable-gpu-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Writes a file under tests/out, which is not committed; returns its path. */
export function write(name, content) {
  mkdirSync(OUT, { recursive: true });
  writeFileSync(join(OUT, name), content);
  return join(OUT, name);
}

/** Writes the page of a result; returns its file:// address. */
export function writePage(name, { data, glb }) {
  return pathToFileURL(write(`${name}.html`, makePage(data, glb))).href;
}

/** A browser with a profile of its own; `open(address, options)` gives a page that keeps what went wrong and what was requested. */
export async function startBrowser() {
  const profile = join(tmpdir(), `holonomy-studio-${process.pid}`);
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    args: ARGS,
    env: { ...process.env, HOME: profile },
  });
  return {
    async open(address, { init, wait = true, ...options } = {}) {
      const settings = {
        viewport: { width: 1440, height: 900 },
        reducedMotion: 'reduce',
        colorScheme: 'light',
        ...options,
      };
      const context = await browser.newContext(settings);
      const page = await context.newPage();
      const seen = { errors: [], requests: [] };
      page.on(
        'console',
        (message) => ['error', 'warning'].includes(message.type()) && seen.errors.push(message.text()),
      );
      page.on('pageerror', (error) => seen.errors.push(String(error)));
      page.on('request', (request) => seen.requests.push(request.url()));
      page.on('websocket', (socket) => seen.requests.push(socket.url()));
      if (init) await page.addInitScript(init);
      await page.goto(address);
      if (wait) await page.waitForSelector('html[data-ready]');
      return Object.assign(page, { seen, close: () => context.close() });
    },
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Width, height and RGB or RGBA bytes of a PNG as Chromium writes them (8 bits a channel, not interlaced). */
export function decodePng(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const value = raw[y * (stride + 1) + 1 + x];
      const left = x >= channels ? pixels[y * stride + x - channels] : 0;
      const up = y ? pixels[(y - 1) * stride + x] : 0;
      const corner = y && x >= channels ? pixels[(y - 1) * stride + x - channels] : 0;
      pixels[y * stride + x] = value + [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
    }
  }
  return { width, height, channels, pixels };
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** How many pixels of two pictures of the same size differ visibly. */
export function differing(a, b) {
  let count = 0;
  for (let i = 0; i < a.pixels.length; i += a.channels) {
    const by = Math.max(...[0, 1, 2].map((c) => Math.abs(a.pixels[i + c] - b.pixels[i + c])));
    if (by > 24) count += 1;
  }
  return count;
}

/** Waits until nothing more is drawn. */
export const settled = (page) =>
  page.evaluate(async () => {
    const { stage } = window.holonomy.view;
    for (let drawn = -1; drawn !== stage.drawn; ) {
      drawn = stage.drawn;
      await new Promise((done) => setTimeout(() => requestAnimationFrame(() => setTimeout(done, 200)), 50));
    }
  });
/** The view's pixels, without what lies over it. */
export async function picture(page) {
  await settled(page);
  return decodePng(await page.locator('#canvas').screenshot());
}
