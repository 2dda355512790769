import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { namesLoopback, sendJson, sendProblem, sendText, secure } from 'mongodb-pool-monitor/live';
import { describeOverview } from './overview-page.js';
import { createOverviewReader } from './read-overview.js';

/** @import { ServerResponse } from 'node:http' */
/** @import { AttachedProcess } from '../harness/attach-reports.js' */

/** @type {Record<string, [file: URL, type: string]>} */
const FILES = {
  '/': [new URL('browser/overview.html', import.meta.url), 'text/html; charset=utf-8'],
  '/overview.css': [new URL('browser/overview.css', import.meta.url), 'text/css; charset=utf-8'],
  '/show-overview.js': [new URL('browser/show-overview.js', import.meta.url), 'text/javascript; charset=utf-8'],
  '/look.css': [new URL(import.meta.resolve('mongodb-pool-monitor/universal/look.css')), 'text/css; charset=utf-8'],
};

/**
 * The page that lists the watched processes: `GET /`, and its figures, `GET /processes`.
 *
 * @param {AttachedProcess[]} processes may grow
 * @param {{ port: number, command: string }} options port: on loopback; 0 takes any free one
 * @returns {Promise<{ url: string, close: () => void }>}
 * @throws {Error} if the port is in use
 */
export async function openOverview(processes, { port, command }) {
  const readOverview = createOverviewReader(processes);
  /** @param {string} path @param {ServerResponse} res */
  const answer = async (path, res) => {
    if (path === '/processes') return sendJson(res, describeOverview(command, await readOverview()));
    if (!Object.hasOwn(FILES, path)) return sendProblem(res, 404, 'Not Found');
    const [file, type] = FILES[path];
    return sendText(res, await readFile(fileURLToPath(file), 'utf8'), type);
  };
  const server = createServer((req, res) => {
    secure(res);
    if (!namesLoopback(req.headers.host)) sendProblem(res, 403, 'Forbidden', 'only under the name of this machine: 127.0.0.1 or localhost');
    else if (req.method !== 'GET' && req.method !== 'HEAD') sendProblem(res, 405, 'Method Not Allowed');
    else answer(String(req.url).split('?')[0], res).catch(() => res.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause) => {
    throw new Error(`--port ${port} can't be used: ${cause.code === 'EADDRINUSE' ? 'something already listens there' : cause.message}`, { cause });
  });
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
