import { once } from 'node:events';
import net from 'node:net';
import { poll } from '../base/poll.js';
import { mongoSettings, startAttachedApp } from '../harness/attached-app.js';
import { describeSilence, watchSilentDatabases } from '../harness/silent-database.js';
import { explainUnwatched } from '../harness/unwatched-app.js';
import { findFreePorts } from '../../src/base/free-ports.js';
import { readSettings } from '../../src/settings.js';

/** @import { AttachedApp } from '../harness/attached-app.js' */
/** @import { AttachedProcess } from '../harness/attach-reports.js' */
/** @import { SweepOptions } from './sweep-lab.js' */

const EVERY_MS = 100;
const LOOPBACK = ['127.0.0.1', '::1'];
/** How long a port may stay taken after the app has ended. */
const FREE_MS = 5000;

/**
 * Gives an app the same PORT at each start, so that a load with a fixed URL reaches it. PORT is often that of the lab's
 * app, which may be running: then an app that reads PORT gets a free one.
 */
export class AppPort {
  #port = readSettings().port;
  #isReplaced = false;

  /**
   * @param {(line: string) => void} report is told about a port that is taken
   * @returns {Promise<Record<string, string>>} for the environment of the app
   */
  async choose(report) {
    if (await isTaken(this.#port)) {
      const [free] = await findFreePorts(1);
      report(`! Port ${this.#port} is taken by another program, so an app that reads PORT gets ${free} from now on.`);
      this.#port = free;
      this.#isReplaced = true;
    }
    return this.#isReplaced ? { PORT: String(this.#port) } : {};
  }
}

/**
 * Starts the user's app with the monitor attached, and waits until it listens.
 *
 * @param {Pick<SweepOptions, 'command' | 'target' | 'startTimeout'>} options
 * @param {object} run
 * @param {number} [run.poolSize] replaces the maxPoolSize of its clients
 * @param {string} [run.client] name of the only one
 * @param {string} run.mongoUrl of a MongoDB for the app; empty: it has its own
 * @param {AppPort} run.port
 * @param {AbortSignal} run.signal
 * @param {(line: string) => void} run.report is told what stands in the way meanwhile
 * @returns {Promise<AttachedApp & { url: string }>}
 * @throws {Error} with the app's last output, if it ends or never listens
 */
export async function startWatchedApp(
  { command, target, startTimeout: seconds },
  { poolSize, client, mongoUrl, port, signal, report },
) {
  const app = await startAttachedApp(command, {
    signal,
    env: {
      ...mongoSettings(mongoUrl),
      ...(target === undefined && (await port.choose(report))),
      ...(poolSize !== undefined && { POOL_MONITOR_MAX_POOL_SIZE: String(poolSize) }),
      ...(client !== undefined && { POOL_MONITOR_CLIENT: client }),
    },
  });
  const over = new AbortController();
  // The app with its own pools comes first.
  if (poolSize === undefined) explainStart(app, { mongoUrl, report, stop: over.signal });
  const stop = () => {
    over.abort();
    return app.stop();
  };
  try {
    if (target !== undefined) {
      await waitForServer(target, app, seconds * 1000, `nothing listens at ${target} after ${seconds} s`);
      return { ...app, url: target, stop };
    }
    const opened = await app.until((processes) => processes.find(({ ports }) => ports.length > 0)?.ports[0], {
      ms: seconds * 1000,
      otherwise:
        `the app opened no port within ${seconds} s. If it needs longer, use --start-timeout; if it listens through ` +
        'another program, name its URL with --target; if its start script sets NODE_OPTIONS, write ' +
        'NODE_OPTIONS="$NODE_OPTIONS ..." there',
    });
    return { ...app, url: await findUrl(opened), stop: () => stop().then(() => untilFree(opened, app.signal)) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Says what keeps an app from being measured, as soon as that is known.
 * @param {AttachedApp} app
 * @param {{ mongoUrl: string, report: (line: string) => void, stop: AbortSignal }} options see startWatchedApp
 */
function explainStart(app, { mongoUrl, report, stop }) {
  watchSilentDatabases(app.processes, {
    onSilent: (process) => report(`! ${describeSilence(process, { ourMongo: mongoUrl })}`),
    stop,
  });
  explainUnwatched(app.processes, {
    root: app.pid,
    mayAttach: false,
    onProblem: (text, isFinal) => (isFinal ? app.giveUp(text) : report(`! ${text}.`)),
    stop,
  });
}

/**
 * The processes that have a MongoClient.
 *
 * @param {AttachedApp} app
 * @param {number} ms how long to wait for the first one
 * @returns {Promise<AttachedProcess[]>}
 * @throws {Error} if there is none by then
 */
export function waitForClients(app, ms) {
  return app.until(
    (processes) => {
      const found = processes.filter(({ url }) => url !== undefined);
      return found.length > 0 ? found : undefined;
    },
    {
      ms,
      otherwise: () => {
        const reason = app.processes.find(({ notWatched }) => notWatched)?.notWatched;
        if (reason) return `the app's client is not watched: ${reason}`;
        return (
          `no MongoClient of the app connected within ${Math.round(ms / 1000)} s: there is no pool to measure. A ` +
          'client that connects with its first query needs a request: name one that makes a query with ' +
          "--warm-up-paths. Other drivers, such as Prisma's engine, can't be measured"
        );
      },
    },
  );
}

/** @param {string} url @param {AttachedApp} app @param {number} ms @param {string} otherwise */
async function waitForServer(url, app, ms, otherwise) {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const ask = async () => (await accepts(host, Number(port) || (protocol === 'https:' ? 443 : 80))) || undefined;
  if (!(await poll(ask, { everyMs: EVERY_MS, timeoutMs: ms, signal: app.signal }))) throw app.failWith(otherwise);
}

/**
 * A part of the app may have left its process group, and outlive it.
 * @param {number} port
 * @param {AbortSignal} signal
 */
async function untilFree(port, signal) {
  if (signal.aborted) return;
  await poll(async () => !(await isTaken(port)) || undefined, { everyMs: EVERY_MS, timeoutMs: FREE_MS });
}

/** @param {number} port */
async function isTaken(port) {
  return (await Promise.all(LOOPBACK.map((host) => accepts(host, port)))).includes(true);
}

/** An app that listens on localhost may be reached by one address only. @param {number} port */
async function findUrl(port) {
  for (const host of LOOPBACK)
    if (await accepts(host, port)) return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return `http://127.0.0.1:${port}`;
}

/** @param {string} host @param {number} port @returns {Promise<boolean>} */
async function accepts(host, port) {
  const socket = net.connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
