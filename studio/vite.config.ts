// Builds the page into one file, dist/index.html, with script and style inlined: it must open from disk, where a page may load nothing.

import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

/** Puts every script and stylesheet of the bundle into the page itself, and the bundle's version into its `generator`. */
function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('the bundle has no index.html');
      let html = String(page.source).replaceAll('%VERSION%', version);
      for (const [name, part] of Object.entries(bundle)) {
        if (name === 'index.html') continue;
        html = part.type === 'chunk' ? withScript(html, name, part.code) : withStyle(html, name, String(part.source));
        delete bundle[name];
      }
      page.source = html;
    },
  };
}

/** The script goes to the end of the body, as a classic one: the data above it is then parsed. */
function withScript(html: string, name: string, code: string): string {
  const tag = new RegExp(`\\s*<script[^>]*src="[^"]*${name}"[^>]*></script>`);
  if (!tag.test(html)) throw new Error(`index.html does not load ${name}`);
  // These sequences would end the element, or change how the parser reads it.
  const safe = code.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '\\x3C!--');
  return html.replace(tag, '').replace('</body>', () => `<script>${safe}</script>\n</body>`);
}

function withStyle(html: string, name: string, css: string): string {
  const tag = new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`);
  if (!tag.test(html)) throw new Error(`index.html does not load ${name}`);
  return html.replace(tag, () => `<style>${css}</style>`);
}

export default defineConfig({
  base: './',
  define: { __VERSION__: JSON.stringify(version) },
  plugins: [oneFile()],
  build: {
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
    rollupOptions: { output: { format: 'iife' } },
  },
});
