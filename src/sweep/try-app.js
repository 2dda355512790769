import { fetchMonitor } from '../harness/monitor-reader.js';
import { startWatchedApp, waitForClients } from './start-watched.js';
import { requestPath } from './warm-up-app.js';

/** Most apps connect before they listen. */
const EARLY_MS = 1000;
const CLIENT_MS = 5000;

/**
 * @typedef {object} Trial
 * @property {string[]} hosts of the app's MongoDB
 * @property {number[]} poolSizes the app's own
 * @property {string} node the version that it runs on
 * @property {Record<string, number>} statuses by path: with which it answered
 */

/**
 * Starts the app once as it is, to see whether it can be measured.
 *
 * @param {string[]} command
 * @param {object} options
 * @param {string} [options.target]
 * @param {number} options.startMs
 * @param {string[]} options.paths to request, each once
 * @param {(statuses: Record<string, number>) => void} options.check gets the status of each path; throws unless these will do
 * @param {(hosts: string[]) => Promise<void>} options.agree throws unless these hosts may get load
 * @param {AbortSignal} options.signal
 * @returns {Promise<Trial>}
 * @throws {Error} saying why it can't
 */
export async function tryApp(command, { target, startMs, paths, check, agree, signal }) {
  const app = await startWatchedApp(command, { target, startMs, signal });
  /** @type {Record<string, number>} */
  const statuses = {};
  const requestAll = async () => {
    for (const path of paths) statuses[path] ??= await requestPath(app.url, path, app.signal);
    check(statuses);
  };
  try {
    // An app may also connect with its first query.
    await waitForClients(app, EARLY_MS).catch(async () => {
      app.signal.throwIfAborted();
      await requestAll();
    });
    const processes = await waitForClients(app, CLIENT_MS);
    const clients = processes.flatMap((process) => process.clients);
    const hosts = [...new Set(clients.flatMap((client) => client.hosts))];
    await agree(hosts);
    await requestAll();
    const { process: { node } } = await fetchMonitor(processes[0], '/pool', app.signal);
    return { hosts, poolSizes: [...new Set(clients.map(({ maxPoolSize }) => maxPoolSize))], node, statuses };
  } finally {
    await app.stop();
  }
}
