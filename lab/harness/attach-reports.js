import { EventEmitter } from 'node:events';
import { namesLoopback, sendProblem } from 'mongodb-pool-page';
import { createToken } from '../../src/base/random-token.js';
import { openLoopbackServer } from '../base/loopback-server.js';
import { count, flag, listOf, orNone, shape, text } from '../base/shape.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/** More than a report needs. */
const MAX_CHARACTERS = 100_000;

/**
 * @typedef {object} AttachedProcess
 * @property {number} pid
 * @property {number} threadId 0, unless it is a worker thread
 * @property {string} command
 * @property {string} [url] of its monitor; none before its first MongoClient connects
 * @property {string} [notWatched] why it has a client that is not watched
 * @property {number[]} ports that it listens on, in the order in which it opened them
 * @property {AttachedClient[]} clients
 *
 * @typedef {object} AttachedClient a MongoClient
 * @property {string | null} [name]
 * @property {string[]} hosts that it was given
 * @property {number} maxPoolSize
 * @property {number | null} replacedMaxPoolSize its own, where another one replaced it
 * @property {boolean} [isChosen] whether POOL_MONITOR_CLIENT is a name of it, or not set
 */

/**
 * Listens on loopback for what attached processes say of themselves (POOL_MONITOR_REPORT_TO). Any process and any web
 * page can reach a port on loopback, so only those that know the URL are believed. We give it to the app alone.
 * @returns {Promise<{ url: string, processes: AttachedProcess[], events: EventEmitter, close: () => void }>}
 *   `processes` has those that reported, the first one first; `events` emits `report` when they change
 */
export async function openReports() {
  /** @type {AttachedProcess[]} */
  const processes = [];
  const events = new EventEmitter();
  const path = `/reports/${createToken()}`;
  const receive = async (
    /** @type {string} */ asked,
    /** @type {ServerResponse} */ res,
    /** @type {IncomingMessage} */ req,
  ) => {
    if (asked !== path) return sendProblem(res, 404, 'Not Found');
    const text = await readText(req);
    if (text === undefined)
      return sendProblem(res, 413, 'Content Too Large', `a report has up to ${MAX_CHARACTERS} characters`);
    const { report, problem } = readReport(text);
    if (problem !== undefined) return sendProblem(res, 400, 'Bad Request', problem);
    res.writeHead(204).end();
    const { pid, threadId, command, url, notWatched, ports, clients } = report;
    let known = processes.find((each) => each.pid === pid && each.threadId === threadId);
    if (!known) processes.push((known = { pid, threadId, command, ports, clients }));
    // A report may overtake the one before.
    if (typeof url === 'string') {
      known.url = url.replace(/\/$/, '');
      // An app that was restarted has the port of the process before.
      for (const other of processes) if (other !== known && other.url === known.url) delete other.url;
    }
    if (typeof notWatched === 'string') known.notWatched = notWatched;
    if (ports.length > known.ports.length) known.ports = ports;
    if (clients.length > 0) known.clients = clients;
    events.emit('report');
  };
  const { url, close } = await openLoopbackServer(receive, { port: 0, methods: ['POST'] });
  return { processes, events, url: new URL(path, url).href, close };
}

/** What is read there is shown, so it must not be another machine's. @type {import('../base/shape.js').Check} */
const loopbackUrl = (value, where) => {
  text(value, where);
  const { protocol, host } = URL.canParse(value) ? new URL(value) : {};
  if (protocol !== 'http:' || !namesLoopback(host)) throw new Error(`${where} must be an http:// URL on loopback`);
};

const checkReport = shape({
  pid: count,
  threadId: count,
  command: text,
  url: orNone(loopbackUrl),
  notWatched: orNone(text),
  ports: listOf(count),
  clients: listOf(
    shape({
      name: orNone(text),
      hosts: listOf(text),
      maxPoolSize: count,
      replacedMaxPoolSize: orNone(count),
      isChosen: orNone(flag),
    }),
  ),
});

/** @param {string} body @returns {{ report?: any, problem?: string }} */
function readReport(body) {
  try {
    const report = JSON.parse(body);
    checkReport(report, 'it');
    return { report };
  } catch (error) {
    return { problem: /** @type {Error} */ (error).message };
  }
}

/** @param {IncomingMessage} req @returns {Promise<string | undefined>} undefined if it is too large */
async function readText(req) {
  let body = '';
  // The connection must outlive the rest of a body, to carry the answer.
  for await (const chunk of req.setEncoding('utf8').iterator({ destroyOnReturn: false }))
    if ((body += chunk).length > MAX_CHARACTERS) return undefined;
  return body;
}
