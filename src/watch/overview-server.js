import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sendJson, sendProblem, sendText } from 'mongodb-pool-monitor/live';
import { openLoopbackServer } from '../http/loopback-server.js';
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
  return openLoopbackServer(answer, { port, option: '--port' });
}
