import { formatNumber, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { mergeMetrics, METRICS_TYPE, sendJson, sendProblem, sendText } from 'mongodb-pool-page';
import { PoolClient } from 'mongodb-pool-page/client';
import { openLoopbackServer } from '../base/loopback-server.js';
import { OverviewReader } from './read-overview.js';

/** @import { Overview, PoolLoad, ProcessLoad } from './read-overview.js' */
/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { AttachedProcess } from '../harness/attach-reports.js' */

/**
 * What the page shows.
 *
 * @typedef {object} OverviewRow
 * @property {string} name
 * @property {string | null} url of the process's own page
 * @property {string} about
 * @property {string} busy
 * @property {number} share of its lanes that are busy, from 0 to 1
 * @property {string} waiting
 * @property {string} longestWait
 * @property {string} rate
 *
 * @typedef {{ command: string, sentence: string, trouble: string, rows: OverviewRow[], total: OverviewRow | null }}
 *   OverviewPage
 */

/**
 * @param {string} command
 * @param {Overview} overview
 * @param {string} [problem] why nothing is watched
 * @returns {OverviewPage}
 */
function describeOverview(command, { processes, totals }, problem = '') {
  const isUnwatched = processes.length === 0 && problem !== '';
  return {
    command,
    sentence: isUnwatched ? 'Nothing is watched yet' : describeProcesses(processes, totals),
    trouble: isUnwatched
      ? `${problem[0].toUpperCase()}${problem.slice(1)}.`
      : [findTrouble(processes), describeDiagnosis(processes)].filter(Boolean).join(' '),
    rows: processes.map((process) => ({
      name: nameProcess(process),
      url: process.url,
      about: describeProcess(process),
      ...describeLoad(process),
    })),
    total: processes.length > 1 ? { name: 'Total', url: null, about: '', ...describeLoad(totals) } : null,
  };
}

/** @param {PoolLoad} load */
function describeLoad({ max, total, active, waiting, longestWaitMs, ratePerSec }) {
  return {
    busy: max === 0 ? String(active) : `${active} of ${max}`,
    share: Math.min(1, active / Math.max(1, max || total)),
    waiting: String(waiting),
    longestWait: waiting === 0 ? '' : describeWait(longestWaitMs),
    rate: ratePerSec === null ? '' : formatNumber(ratePerSec, ratePerSec < 10 ? 1 : 0),
  };
}

/** The headline. @param {ProcessLoad[]} processes @param {PoolLoad} totals */
function describeProcesses(processes, { waiting, longestWaitMs, active, max }) {
  if (processes.length === 0) return 'Waiting for the first MongoClient';
  const count = processes.length === 1 ? 'One process' : `${processes.length} processes`;
  const lanes = max === 0 ? `${active} lanes busy` : `${active} of ${max} lanes busy`;
  if (waiting === 0) return `${count}: ${lanes}, nobody waits`;
  const waits = waiting === 1 ? '1 request waits, for' : `${waiting} requests wait, the longest for`;
  return `${count}: ${lanes}, ${waits} ${describeWait(longestWaitMs)}`;
}

/** What stands out, the worst first. @param {ProcessLoad[]} processes @returns {string} empty if nothing does */
function findTrouble(processes) {
  const lost = processes.filter(({ reachable }) => !reachable);
  if (lost.length > 0)
    return `MongoDB is unreachable from ${lost.map((each) => `process ${nameThread(each)}`).join(', ')}.`;
  const stuck = processes.find(({ deadlockRisk }) => deadlockRisk);
  if (stuck) {
    const what = 'a request holds a connection and waits for another: it may be waiting for itself';
    return `In process ${nameThread(stuck)}, ${what}.`;
  }
  const full = processes.filter(({ waiting }) => waiting > 0);
  if (full.length === 0 || full.length === processes.length) return '';
  return (
    `Only ${full.length} of ${processes.length} processes ${full.length === 1 ? 'has' : 'have'} a queue. ` +
    'Each process has its own pool, and none lends its free lanes.'
  );
}

/** Why requests waited in the process with the longest wait. @param {ProcessLoad[]} processes */
function describeDiagnosis(processes) {
  const [first] = processes.toSorted((a, b) => b.longestWaitMs - a.longestWaitMs);
  if (!first?.diagnosis) return '';
  return processes.length === 1 ? first.diagnosis : `Process ${nameThread(first)}: ${first.diagnosis}`;
}

/** @param {ProcessLoad} process */
function nameProcess(process) {
  return `${process.command}, process ${nameThread(process)}`;
}

/** Worker threads share the id of their process. @param {Pick<ProcessLoad, 'pid' | 'threadId'>} process */
function nameThread({ pid, threadId }) {
  return threadId === 0 ? String(pid) : `${pid}, thread ${threadId}`;
}

/** @param {ProcessLoad} process */
function describeProcess({ ports, clients }) {
  const listens = ports.length > 0 ? `port ${ports.join(', ')}, ` : '';
  return listens + (clients === 1 ? '1 client' : `${clients} clients`);
}

/** @param {number} ms */
function describeWait(ms) {
  return formatQuantity(ms, 'ms');
}

/**
 * The metrics of all processes, with labels that say which process a series is from.
 * @param {AttachedProcess[]} processes
 * @returns {Promise<string>} without those that have no client, have ended or don't answer within 5 s. Prometheus waits
 *   10 s by default
 */
async function readMetrics(processes) {
  const sources = processes.map(async ({ url, pid, threadId }) => ({
    labels: { process_pid: String(pid), ...(threadId !== 0 && { thread_id: String(threadId) }) },
    text: url ? await new PoolClient(url).metrics().catch(() => '') : '',
  }));
  return mergeMetrics(await Promise.all(sources));
}

/** @type {Record<string, [file: URL, type: string]>} */
const FILES = {
  '/': [new URL('browser/overview.html', import.meta.url), 'text/html; charset=utf-8'],
  '/overview.css': [new URL('browser/overview.css', import.meta.url), 'text/css; charset=utf-8'],
  '/show-overview.js': [new URL('browser/show-overview.js', import.meta.url), 'text/javascript; charset=utf-8'],
  '/look.css': [new URL(import.meta.resolve('mongodb-pool-page/universal/look.css')), 'text/css; charset=utf-8'],
};

/**
 * The page that lists the watched processes: `GET /`, its figures, `GET /processes`, and the metrics of all of them,
 * `GET /metrics`. If only one has a pool, `GET /`, `GET /pool` and the paths below it lead to that process, so that one
 * address is enough for everything.
 *
 * @param {AttachedProcess[]} processes may grow
 * @param {{ port: number, command: string, problems: string[] }} options port: on loopback; 0 takes any free one.
 *   problems: why nothing is watched, the last one is shown; may grow
 * @returns {Promise<{ url: string, close: () => void }>}
 * @throws {Error} if the port is in use
 */
export async function openOverview(processes, { port, command, problems }) {
  const reader = new OverviewReader(processes);
  /** @param {string} path @param {ServerResponse} res @param {IncomingMessage} req */
  const answer = async (path, res, req) => {
    if (/^\/pool(\/|$)/.test(path))
      return redirect(res, String(req.url), (await reader.read()).processes, problems.at(-1));
    if (path === '/') {
      const { processes } = await reader.read();
      if (processes.length === 1) return redirect(res, '/', processes);
    }
    if (path === '/metrics') {
      const text = await readMetrics(processes);
      return text === '' ? sendUnavailable(res, problems.at(-1)) : sendText(res, text, METRICS_TYPE);
    }
    if (path === '/processes') return sendJson(res, describeOverview(command, await reader.read(), problems.at(-1)));
    if (!Object.hasOwn(FILES, path)) return sendProblem(res, 404, 'Not Found');
    const [file, type] = FILES[path];
    return sendText(res, await readFile(fileURLToPath(file), 'utf8'), type);
  };
  return openLoopbackServer(answer, { port, option: '--port' });
}

/** @param {ServerResponse} res @param {string} path @param {ProcessLoad[]} processes @param {string} [problem] */
function redirect(res, path, processes, problem) {
  const [first, ...others] = processes;
  if (!first) return sendUnavailable(res, problem);
  const several = `${processes.length} processes have pools: use the URL of one, such as ${first.url}`;
  if (others.length > 0) return sendProblem(res, 409, 'Conflict', several);
  return res.writeHead(307, { Location: new URL(path, first.url).href }).end();
}

/** @param {ServerResponse} res @param {string} [problem] */
function sendUnavailable(res, problem = 'no MongoClient of the app has connected yet') {
  sendProblem(res, 503, 'Service Unavailable', problem);
}
