import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAttachedApp } from '../harness/attached-app.js';

/** @import { AttachedApp } from '../harness/attached-app.js' */
/** @import { AttachedProcess } from '../harness/attach-reports.js' */

const RETRY_MS = 100;
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Starts the user's app with the monitor attached, and waits until it listens.
 *
 * @param {string[]} command
 * @param {object} options
 * @param {string} [options.target] URL of the app; default: the first port that it opens
 * @param {number} [options.poolSize] replaces the maxPoolSize of its clients
 * @param {number} options.startMs how long it may take to listen
 * @param {AbortSignal} options.signal
 * @returns {Promise<AttachedApp & { url: string }>}
 * @throws {Error} with the app's last output, if it ends or never listens
 */
export async function startWatchedApp(command, { target, poolSize, startMs, signal }) {
  const app = await startAttachedApp(command, {
    signal, env: poolSize === undefined ? {} : { POOL_MONITOR_MAX_POOL_SIZE: String(poolSize) },
  });
  try {
    const seconds = Math.round(startMs / 1000);
    if (target !== undefined) {
      await waitForServer(target, app, startMs, `nothing listens at ${target} after ${seconds} s`);
      return { ...app, url: target };
    }
    const port = await app.until((processes) => processes.find(({ ports }) => ports.length > 0)?.ports[0], {
      ms: startMs,
      otherwise: `the app opened no port within ${seconds} s. If it needs longer, use --start-timeout; if it listens through `
        + 'another program, name its URL with --target',
    });
    return { ...app, url: await findUrl(port) };
  } catch (error) {
    await app.stop();
    throw error;
  }
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
  return app.until((processes) => {
    const found = processes.filter(({ url }) => url !== undefined);
    return found.length > 0 ? found : undefined;
  }, {
    ms,
    otherwise: `no MongoClient of the app connected within ${Math.round(ms / 1000)} s: there is no pool to measure. A client that `
      + 'connects with its first query needs a request: name one that makes a query with --warm-up-paths',
  });
}

/** @param {string} url @param {AttachedApp} app @param {number} ms @param {string} otherwise */
async function waitForServer(url, app, ms, otherwise) {
  const { hostname, port, protocol } = new URL(url);
  const endsAtMs = performance.now() + ms;
  while (!await accepts(hostname.replace(/^\[|\]$/g, ''), Number(port) || (protocol === 'https:' ? 443 : 80))) {
    app.signal.throwIfAborted();
    if (performance.now() > endsAtMs) throw app.failWith(otherwise);
    await sleep(RETRY_MS, undefined, { signal: app.signal }).catch(() => {});
  }
}

/** An app that listens on localhost may be reached by one address only. @param {number} port */
async function findUrl(port) {
  for (const host of LOOPBACK) if (await accepts(host, port)) return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
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
