import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { VEHICLE_SYMBOLS } from 'mongodb-pool-page/universal/vehicles.js';
import { hashSource } from '../lab/report/document.js';
import { SCREENS } from './browser/screens.js';
import { SANDBOX_HANDLES, STAGE, STAGE_PICTURE, renderHandle, renderScreen } from './render-screen.js';

/**
 * The playground reads YAML and writes none, but each node of the library can write itself: 12 kB. It reads YAML 1.2,
 * as Artillery does, so it needs no type that only 1.1 has: 8 kB.
 * @type {import('esbuild').Plugin}
 */
const WITHOUT_MOST_OF_YAML = {
  name: 'without the writer of yaml, and without YAML 1.1',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]yaml[\\/]browser[\\/]dist[\\/]stringify[\\/]\w+\.js$/ }, async ({ path }) =>
      // What they return is text, or takes properties: the key of a map may be a map.
      exportInstead(path, "() => Object('')"),
    );
    // An unknown tag is a warning.
    onLoad({ filter: /[\\/]yaml-1\.1[\\/](binary|omap|pairs|set|timestamp)\.js$/ }, async ({ path }) =>
      exportInstead(path, 'undefined'),
    );
    onLoad({ filter: /[\\/]yaml-1\.1[\\/]schema\.js$/ }, () => ({
      contents: "export { schema } from '../core/schema.js';",
    }));
  },
};

/**
 * The page needs only the values of assumptions. Their reasons and evidence would be 12 kB.
 * @type {import('esbuild').Plugin}
 */
const WITHOUT_REASONS = {
  name: 'assumptions without their reasons',
  setup({ onLoad }) {
    const entry = /\{ value: (.+?), unit: .+?,\s+evidence: \[[^\]]*\],\s+why: .+ \}/g;
    onLoad({ filter: /[\\/]assumptions[\\/]\w+-assumptions\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(entry, '$1').replace('valuesOf(', '('),
    }));
  },
};

/** @param {string} file of a module @param {string} value of all that it exports */
async function exportInstead(file, value) {
  const [, names] = (await readFile(file, 'utf8')).match(/^export \{ (.+) \};$/m) ?? [];
  return {
    contents: names
      .split(', ')
      .map((name) => `export const ${name} = ${value};`)
      .join('\n'),
  };
}

/**
 * Builds the playground: one page of plain HTML that needs no server and no network.
 *
 * @param {{ name: string, text: string }} [recording] a trace: the page plays it, and shows nothing else
 * @returns {Promise<string>}
 */
export async function buildPage(recording) {
  const {
    outputFiles: [bundle],
  } = await build({
    entryPoints: [fileURLToPath(new URL('browser/page.js', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    // Nobody reads what the YAML parser tells developers.
    drop: ['console'],
    plugins: [WITHOUT_MOST_OF_YAML, WITHOUT_REASONS],
  });
  const [page, look, own] = await Promise.all(
    [
      new URL('index.html', import.meta.url),
      import.meta.resolve('mongodb-pool-page/universal/look.css'),
      new URL('style.css', import.meta.url),
    ].map((url) => readFile(new URL(url), 'utf8')),
  );
  const { code: style } = await transform(look + own, { loader: 'css', minify: true, charset: 'utf8' });
  const script = bundle.text.trim();
  /** @type {Record<string, string>} */
  const parts = {
    // The worker is the same script, from memory.
    policy: [
      "default-src 'none'",
      "connect-src 'none'",
      `script-src ${hashSource(script)} blob:`,
      'worker-src blob:',
      `style-src ${hashSource(style)}`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; '),
    style,
    script,
    symbols: VEHICLE_SYMBOLS,
    contents: [...SCREENS, { id: 'sandbox', title: 'Your turn' }]
      .map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`)
      .join('\n'),
    screens: SCREENS.map((screen, index) => renderScreen(screen, index + 1)).join('\n'),
    stage: STAGE,
    picture: STAGE_PICTURE,
    load: SANDBOX_HANDLES.load.map((handle) => renderHandle('sandbox', handle)).join('\n'),
    pool: SANDBOX_HANDLES.pool.map((handle) => renderHandle('sandbox', handle)).join('\n'),
    recording: recording ? renderRecording(recording) : '',
  };
  return page.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
}

/** No text in it can end the element. @param {{ name: string, text: string }} recording */
function renderRecording(recording) {
  const json = JSON.stringify(recording).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="recording">${json}</script>`;
}
