import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from 'test-support/cleanup.js';
import { copyApps, findNodeVersions } from 'test-support/installations.js';
import { until, untilProcess } from 'test-support/waiting.js';
import { startServer } from './server-truth.js';

/** Much longer than anything takes on a busy machine. */
const PATIENCE_MS = 60_000;

/**
 * @typedef {object} AttachedApp
 * @property {(path: string) => Promise<any>} ask one of its control routes, see app/serve.cjs
 * @property {(path: string) => Promise<any>} watch a path of its monitor
 */

/**
 * Run Node.js with an app and the monitor.
 * @param {object} options
 * @param {string} options.node path of its Node.js
 * @param {string[]} options.args flags, a file of the app, libraries
 * @param {Record<string, string>} [options.env] added to this environment
 * @param {(close: () => unknown) => void} options.onEnd
 */
export function runAttached({ node, args, env, onEnd }) {
  const child = spawn(node, args, { env: { ...process.env, NODE_OPTIONS: '', ...env } });
  // Does nothing if it has ended.
  onEnd(() => child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    said.stderr += chunk;
  });

  /**
   * @template T
   * @param {string} what @param {() => T | Promise<T>} probe
   */
  const hear = (what, probe) => untilProcess(what, probe, { child, said, withinMs: PATIENCE_MS });
  /** @param {Error} error @returns {never} */
  const fail = (error) => {
    throw new Error(`${error.message}\n${said.stdout}${said.stderr}`, { cause: error });
  };

  return {
    /** What the monitors said: a line with the port for each process. An error would be another one. */
    listLines: () => said.stderr.match(/^mongodb-pool-monitor: .*/gm) ?? [],
    /** @returns {Promise<number | null>} its exit code */
    end: () => until('it ends', () => child.exitCode !== null, PATIENCE_MS).then(() => child.exitCode),

    /** @param {number} [number] of the app, where one process starts several @returns {Promise<AttachedApp>} */
    async app(number = 1) {
      const port = await hear(
        `app ${number} listens`,
        () => [...said.stdout.matchAll(/^listening (\d+)/gm)][number - 1]?.[1],
      );
      const ask = (/** @type {string} */ path) => fetchJson(`http://127.0.0.1:${port}/${path}`).catch(fail);
      const pid = await ask('pid');
      return {
        ask,
        watch: async (path) => {
          const monitor = await hear(`the monitor of ${pid} tells its port`, () => findMonitor(said.stderr, pid));
          return fetchJson(`${monitor}/${path}`);
        },
      };
    },
  };
}

/** @param {string} stderr @param {number} pid */
async function findMonitor(stderr, pid) {
  for (const [url] of stderr.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)) {
    const pool = await fetchJson(`${url}/pool`).catch(() => undefined);
    if (pool?.process.pid === pid) return url;
  }
  return undefined;
}

/** @param {string} url */
async function fetchJson(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch((error) => {
    throw new Error(`${url}: ${error.message}`, { cause: error });
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${body}`);
  return JSON.parse(body);
}

/**
 * What each test of the monitor beside an app needs: the app, a server, versions of Node.js, and the flags of the
 * monitor.
 */
export async function prepare() {
  const versions = await findNodeVersions();
  const folder = await scratchFolder();
  await copyApps(fileURLToPath(new URL('app', import.meta.url)), folder);
  const server = await startServer();
  return { folder, monitor: ['--require', 'mongodb-pool-monitor/attach'], server, versions };
}
