import { createReadStream, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CHART_JS } from './chart-js.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

const PREDICTOR = findPredictor();
/** Whether the page can predict. */
export const HAS_PREDICTOR = PREDICTOR !== null;

/** The page's folders have the same place on the server, so that their imports of each other work. */
const FOLDERS = new Map([
  ['page', fileURLToPath(new URL('../../page/', import.meta.url))],
  ['universal', fileURLToPath(new URL('../../universal/', import.meta.url))],
  ...(PREDICTOR ? [/** @type {const} */ (['pool-predictor', PREDICTOR])] : []),
]);

/** No name starts with a dot, so none leaves its folder. */
const FILE = /^\/([\w-]+)\/((?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(css|html|js|svg))$/;

/** @type {Record<string, string>} */
const TYPES = {
  css: 'text/css; charset=utf-8', html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml',
};

/**
 * The file at a path: `/` is the live page, `/pool-predictor/` has the predictor's worker if that package is installed.
 * @param {string} pathname
 * @returns {{ file: string, type: string } | null}
 */
export function findPageFile(pathname) {
  if (pathname === '/') return findPageFile('/page/index.html');
  if (pathname === '/page/chart.js') return { file: CHART_JS, type: TYPES.js };
  const [, folder, name, extension] = FILE.exec(pathname) ?? [];
  const root = FOLDERS.get(folder);
  return root ? { file: path.join(root, name), type: TYPES[extension] } : null;
}

/**
 * @param {IncomingMessage} req
 * @param {ServerResponse} res
 * @param {NonNullable<ReturnType<typeof findPageFile>>} found
 * @returns {boolean} false without that file
 */
export function sendFile(req, res, { file, type }) {
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
  else createReadStream(file).on('error', () => res.destroy()).pipe(res);
  return true;
}

/**
 * @returns {string | null} the folder of the predictor's files. It is optional: beside this package, or where the app was
 *   started
 */
function findPredictor() {
  for (const from of [import.meta.url, pathToFileURL(path.join(process.cwd(), 'app.js'))]) {
    try {
      return path.dirname(createRequire(from).resolve('mongodb-pool-predictor/worker'));
    } catch {
      // Not there.
    }
  }
  return null;
}
