import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import { listOf, number, orNone, shape, text } from '../shape.js';

/** More than a report needs. */
const MAX_BYTES = 100_000;

/**
 * @typedef {object} AttachedProcess
 * @property {number} pid
 * @property {number} threadId 0, unless it is a worker thread
 * @property {string} command
 * @property {string} [url] of its monitor; none before its first MongoClient connects
 * @property {number[]} ports that it listens on, in the order in which it opened them
 * @property {AttachedClient[]} clients
 *
 * @typedef {object} AttachedClient a MongoClient
 * @property {string[]} hosts that it was given
 * @property {number} maxPoolSize
 * @property {number | null} replacedMaxPoolSize its own, where another one replaced it
 */

/**
 * Listens on loopback for what attached processes say of themselves (POOL_MONITOR_REPORT_TO).
 * @returns {Promise<{ url: string, processes: AttachedProcess[], events: EventEmitter, close: () => void }>} `processes` has
 *   those that reported, the first one first; `events` emits `report` when they change
 */
export async function openReports() {
  /** @type {AttachedProcess[]} */
  const processes = [];
  const events = new EventEmitter();
  const server = http.createServer(async (req, res) => {
    const report = await readReport(req);
    res.writeHead(report ? 204 : 400).end();
    if (!report) return;
    const { pid, threadId, command, url, ports, clients } = report;
    let known = processes.find((each) => each.pid === pid && each.threadId === threadId);
    if (!known) processes.push(known = { pid, threadId, command, ports, clients });
    // A report may overtake the one before.
    if (typeof url === 'string') known.url = url.replace(/\/$/, '');
    if (ports.length > known.ports.length) known.ports = ports;
    if (clients.length > 0) known.clients = clients;
    events.emit('report');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    processes,
    events,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const checkReport = shape({
  pid: number, threadId: number, command: text, url: orNone(text), ports: listOf(number),
  clients: listOf(shape({ hosts: listOf(text), maxPoolSize: number, replacedMaxPoolSize: orNone(number) })),
});

/** @param {http.IncomingMessage} req @returns {Promise<any>} undefined for anything but a report */
async function readReport(req) {
  let body = '';
  try {
    for await (const chunk of req.setEncoding('utf8')) if ((body += chunk).length > MAX_BYTES) return undefined;
    const report = JSON.parse(body);
    checkReport(report, 'a report');
    return report;
  } catch {
    return undefined;
  }
}
