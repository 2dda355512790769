// Builds the playground from playground/: one page of plain HTML that needs no server and no network. An argument names
// the folder; default: dist/playground.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { VEHICLE_SYMBOLS } from 'mongodb-pool-page/universal/vehicles.js';
import { SCREENS } from '../playground/browser/screens.js';
import { hashSource } from '../lab/report/document.js';
import { SANDBOX_HANDLES, STAGE, renderHandle, renderScreen } from '../playground/render-screen.js';

const SOURCES = new URL('../playground/', import.meta.url);
const folder = path.resolve(process.argv[2] ?? fileURLToPath(new URL('../dist/playground', import.meta.url)));

const {
  outputFiles: [bundle],
} = await build({
  entryPoints: [fileURLToPath(new URL('browser/page.js', SOURCES))],
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
});
const [page, look, own] = await Promise.all(
  [
    new URL('index.html', SOURCES),
    import.meta.resolve('mongodb-pool-page/universal/look.css'),
    new URL('style.css', SOURCES),
  ].map((url) => readFile(new URL(url), 'utf8')),
);
const style = look + own;
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
  load: SANDBOX_HANDLES.load.map((handle) => renderHandle('sandbox', handle)).join('\n'),
  pool: SANDBOX_HANDLES.pool.map((handle) => renderHandle('sandbox', handle)).join('\n'),
};

const file = path.join(folder, 'index.html');
await mkdir(folder, { recursive: true });
await writeFile(
  file,
  page.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => parts[name]),
);
process.stdout.write(`${file}\n`);
