import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sendText } from './answers.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/**
 * @typedef {object} Extension what an app adds to the page
 * @property {URL} files the folder that has the following and what they load; served as `/app/`
 * @property {string} html goes into the page between the tunnels and the charts
 * @property {string} style a style sheet
 * @property {string} module exports `extendPage(place, page)`, see page/page-extension.js
 */

/**
 * uPlot as one script for browsers, which puts `uPlot` into their globals. Empty if it is not installed, as in a copied
 * folder.
 */
const UPLOT = findPlot();
/** Keeps the rest of the page alive, and says why it has no charts. */
const NO_CHARTS = `globalThis.uPlot = class {
  cursor = {};
  constructor(options, data, box) {
    box.textContent = 'No charts: uplot is not installed beside mongodb-pool-page';
  }
  setData() {}
  setSize() {}
  destroy() {}
};`;

const PREDICTOR = findPredictor();
/** Whether the page can predict. */
export const HAS_PREDICTOR = PREDICTOR !== null;

const INDEX = fileURLToPath(new URL('../page/index.html', import.meta.url));
/** The page's folders have the same place on the server, so that their imports of each other work. */
const FOLDERS = new Map([
  ['page', fileURLToPath(new URL('../page/', import.meta.url))],
  ['universal', fileURLToPath(new URL('../universal/', import.meta.url))],
  ...(PREDICTOR ? [/** @type {const} */ (['pool-predictor', PREDICTOR])] : []),
]);

/** No name starts with a dot, so none leaves its folder. */
const FILE = /^\/([\w-]+)\/((?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(css|html|js|svg))$/;

/** @type {Record<string, string>} */
const TYPES = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The files of the live page: `/` is the page, `/pool-predictor/` has the predictor if that package is installed. */
export class PageFiles {
  #folders = FOLDERS;
  /** The page of an app with an extension. @type {string | undefined} */
  #index;

  /** @param {Extension} [extension] */
  constructor(extension) {
    if (!extension) return;
    const files = fileURLToPath(extension.files);
    this.#folders = new Map([...FOLDERS, ['app', files]]);
    // The browser loads them with the page, so that nothing moves later.
    const links = `<link rel="stylesheet" href="/app/${extension.style}">
<link rel="modulepreload" href="/app/${extension.module}">
</head>`;
    this.#index = readFileSync(INDEX, 'utf8')
      .replace('</head>', () => links)
      .replace('<div id="app">', (place) => place + readFileSync(path.join(files, extension.html), 'utf8'));
  }

  /**
   * @param {string} pathname
   * @returns {((req: IncomingMessage, res: ServerResponse) => boolean) | undefined} sends what is at that path, and
   *   says whether there was a file
   */
  find(pathname) {
    if (pathname === '/' || pathname === '/page/index.html') {
      const index = this.#index;
      if (index === undefined) return (req, res) => sendFile(req, res, INDEX, TYPES.html);
      return (req, res) => sendWhole(res, index, TYPES.html);
    }
    if (pathname === '/page/uplot.js' && UPLOT === '') return (req, res) => sendWhole(res, NO_CHARTS, TYPES.js);
    if (pathname === '/page/uplot.js') return (req, res) => sendFile(req, res, UPLOT, TYPES.js);
    const [, folder, name, extension] = FILE.exec(pathname) ?? [];
    const root = this.#folders.get(folder);
    return root === undefined ? undefined : (req, res) => sendFile(req, res, path.join(root, name), TYPES[extension]);
  }
}

/** @param {ServerResponse} res @param {string} text @param {string} type */
function sendWhole(res, text, type) {
  sendText(res, text, type);
  return true;
}

/**
 * @param {IncomingMessage} req
 * @param {ServerResponse} res
 * @param {string} file
 * @param {string} type
 * @returns {boolean} false without that file
 */
function sendFile(req, res, file, type) {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) return false;
  const tag = `"${stats.size.toString(36)}-${Math.round(stats.mtimeMs).toString(36)}"`;
  // The browser asks each time, and usually hears that nothing changed.
  const headers = { 'Cache-Control': 'no-cache', ETag: tag };
  if (req.headers['if-none-match'] === tag) {
    res.writeHead(304, headers).end();
    return true;
  }
  res.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': stats.size });
  if (req.method === 'HEAD') res.end();
  else
    createReadStream(file)
      .on('error', () => res.destroy())
      .pipe(res);
  return true;
}

function findPlot() {
  try {
    return path.join(path.dirname(createRequire(import.meta.url).resolve('uplot')), 'uPlot.iife.min.js');
  } catch {
    return '';
  }
}

/**
 * @returns {string | null} the folder of the predictor's files. It is optional: beside this package, or where the app
 *   was started
 */
function findPredictor() {
  for (const from of [import.meta.url, pathToFileURL(path.join(process.cwd(), 'app.js'))]) {
    try {
      return path.dirname(createRequire(from).resolve('mongodb-pool-predictor'));
    } catch {
      // Not there.
    }
  }
  return null;
}
