import { fork } from 'node:child_process';
import http from 'node:http';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findDebugger, openSession, waitForDebugger, waitUntilClosed } from './inspector-session.js';

/** @import { NodeTarget } from '../harness/node-target.js' */

/** The first Node.js versions that can load the monitor this way. */
const MIN_NODE = 'It needs Node.js 20.19, 22.12 or later';

const GUARD = fileURLToPath(new URL('inspector-guard.js', import.meta.url));
const MODULE = JSON.stringify(fileURLToPath(import.meta.resolve('mongodb-pool-monitor/attach-now')));

/** @param {string} call */
const inMonitor = (call) => `process.getBuiltinModule('node:module').createRequire(${MODULE})(${MODULE}).${call}()`;

/** Loads the monitor in the process. Older versions of Node warn that it is experimental to load an ES module so. */
const ATTACH = `(async () => {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return await ${inMonitor('attachNow')};
  } finally {
    process.emitWarning = emitWarning;
  }
})()`;

/**
 * @typedef {object} Attachment
 * @property {string} url of the monitor's page
 * @property {boolean} wasOpen whether the inspector of the process was open before; then it stays open
 * @property {Promise<void>} ended resolves when the process has ended, or nothing is watched any more
 * @property {() => Promise<void>} detach
 */

/**
 * Watches a process that is already running, from the inside, until `detach` or until this process ends.
 *
 * @param {NodeTarget} target
 * @param {AbortSignal} signal ends the attaching
 * @returns {Promise<Attachment>}
 * @throws {Error} saying why that is impossible
 */
export async function attachToProcess({ pid, port }, signal) {
  const { url, owner, notWatched, wasOpen } = await runInside({ pid, port }, signal);
  signal.throwIfAborted();
  if (url === null)
    throw new Error(
      notWatched
        ? `Process ${pid} can't be watched: ${notWatched}. Nothing was left behind`
        : `Process ${pid} has no MongoClient of driver 4 or later in use, so there is nothing to watch. ` +
            "Other drivers, such as Prisma's engine, and worker threads can't be attached to. Nothing was left behind",
    );
  if (owner === null) throw new Error(`Process ${pid} is already watched: ${url}`);
  // The monitor watches for as long as we keep this response open.
  const request = http.get(owner, { agent: false });
  const [response] = await once(request, 'response', { signal });
  // If the process is killed, both report it.
  request.on('error', () => {});
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    response
      .resume()
      .on('error', () => {})
      .on('close', resolve);
  });
  return {
    url,
    wasOpen,
    ended,
    async detach() {
      request.destroy();
      await ended;
    },
  };
}

/**
 * @param {Pick<NodeTarget, 'pid' | 'port'>} target
 * @param {AbortSignal} signal
 * @returns {Promise<{ url: string | null, owner: string | null, notWatched: string | null, wasOpen: boolean }>}
 */
async function runInside({ pid, port }, signal) {
  const before = await findDebugger(port, signal);
  const guard =
    before === null
      ? fork(GUARD, [String(pid), String(port)], { detached: true, execArgv: [], stdio: 'ignore' })
      : undefined;
  try {
    if (guard) openInspector(pid);
    const session = await openSession(before ?? (await waitForDebugger(port, signal)));
    try {
      // From here on Ctrl-C waits until nothing stays behind.
      const found = await session.evaluate('process.pid');
      if (found !== pid)
        throw new Error(`Port ${port} belongs to the inspector of process ${found}. End that one first`);
      if (!(await session.evaluate("typeof process.getBuiltinModule === 'function'"))) {
        throw new Error(`Process ${pid} runs Node.js ${await session.evaluate('process.version')}. ${MIN_NODE}`);
      }
      const giveUp = () => void session.evaluate(inMonitor('giveUp')).catch(() => {});
      signal.addEventListener('abort', giveUp, { once: true });
      const answer = await session.evaluate(ATTACH).finally(() => signal.removeEventListener('abort', giveUp));
      return { ...answer, wasOpen: before !== null };
    } finally {
      session.close();
    }
  } finally {
    if (guard) {
      guard.disconnect();
      await waitUntilClosed(port);
    }
  }
}

/** @param {number} pid */
function openInspector(pid) {
  // Windows has no such signal. What `node inspect -p` uses there is undocumented.
  if (process.platform === 'win32') /** @type {any} */ (process)._debugProcess(pid);
  else process.kill(pid, 'SIGUSR1');
}
