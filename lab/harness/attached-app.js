import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { startGuarded, collectText } from '../../src/process/guarded-process.js';
import { childEnvironment } from '../../src/process/child-environment.js';
import { openReports } from './attach-reports.js';
import { quoteOutput } from './quote-output.js';

/** @import { AttachedProcess } from './attach-reports.js' */

/** The option for Node.js that loads the monitor. */
export const ATTACH_OPTION = requireOption(createRequire(import.meta.url).resolve('mongodb-pool-monitor/attach'));

/** How long an app may take to end, before it is killed. */
const GRACE_MS = 2000;

/**
 * A command that runs with the pool monitor attached to each of its Node.js processes.
 *
 * @typedef {object} AttachedApp
 * @property {number} pid of a process that starts the app
 * @property {AttachedProcess[]} processes those that reported so far
 * @property {AbortSignal} signal aborted when the app ends, or the signal it was started with is aborted
 * @property {<T>(find: (processes: AttachedProcess[]) => T | undefined, limit: { ms: number, otherwise: string | (() =>
 *   string) }) => Promise<T>} until resolves when `find` has found something in the reports; throws `otherwise`, with
 *   the app's last output, after `ms`, and when the app ends
 * @property {(problem: string) => Error} failWith an error with the app's last output
 * @property {(problem: string) => void} giveUp aborts `signal`, because it can't be watched
 * @property {() => Promise<void>} stop ends it, and whatever it started
 */

/**
 * @param {string[]} command
 * @param {object} [options]
 * @param {Record<string, string>} [options.env] added to this environment
 * @param {AbortSignal} [options.signal] ends it
 * @returns {Promise<AttachedApp>}
 */
export async function startAttachedApp([file, ...args], { env = {}, signal } = {}) {
  const reports = await openReports();
  const child = startGuarded(file, args, {
    graceMs: GRACE_MS,
    signal,
    env: childEnvironment({ ...attachOptions(), POOL_MONITOR_REPORT_TO: reports.url, ...env }),
  });
  const outputs = [collectText(child.stdout), collectText(child.stderr)];
  /** @param {string} problem */
  const failWith = (problem) => {
    const texts = outputs.map((read) => quoteOutput(read())).filter(Boolean);
    const output = texts.length === 0 ? 'The app printed nothing' : `The app's last output:\n${texts.join('\n')}`;
    return new Error(`${problem}. ${output}`);
  };
  const ended = new AbortController();
  let isStopping = false;
  child.ended.then((how) => {
    reports.close();
    if (!isStopping) ended.abort(failWith(`the app ended by itself (${how})`));
  });
  const until = AbortSignal.any([ended.signal, ...(signal ? [signal] : [])]);
  return {
    pid: child.pid,
    processes: reports.processes,
    signal: until,
    failWith,
    giveUp: (problem) => ended.abort(new Error(problem)),
    async until(find, { ms, otherwise }) {
      const timeout = AbortSignal.timeout(ms);
      const over = AbortSignal.any([until, timeout]);
      for (;;) {
        const found = find(reports.processes);
        if (found !== undefined) return found;
        await once(reports.events, 'report', { signal: over }).catch(() => {});
        until.throwIfAborted();
        if (timeout.aborted) throw failWith(typeof otherwise === 'string' ? otherwise : otherwise());
      }
    },
    async stop() {
      isStopping = true;
      await child.stop();
    },
  };
}

/** The settings by which most apps find their MongoDB. */
const MONGO_SETTINGS = ['MONGODB_URI', 'MONGODB_URL', 'MONGO_URI', 'MONGO_URL'];
export const MONGO_SETTING_NAMES = 'MONGODB_URI, MONGODB_URL, MONGO_URI and MONGO_URL';

/** @param {string} url of the app's MongoDB; empty: it has its own @returns {Record<string, string>} */
export function mongoSettings(url) {
  return url === '' ? {} : Object.fromEntries(MONGO_SETTINGS.map((name) => [name, url]));
}

/** Has a script called `node`, see there. Windows does not start it, because it looks for node.exe. */
const NODE_ON_PATH = fileURLToPath(new URL('node-on-path', import.meta.url));

/** What attaches the monitor to a process and its children. @returns {Record<string, string>} */
export function attachOptions() {
  const { NODE_OPTIONS = '', PATH = '' } = childEnvironment({});
  return {
    NODE_OPTIONS: `${NODE_OPTIONS} ${ATTACH_OPTION}`.trim(),
    POOL_LAB_NODE_OPTION: ATTACH_OPTION,
    ...(process.platform !== 'win32' && { PATH: `${NODE_ON_PATH}:${PATH}` }),
  };
}

/** @param {string} file @returns {string} an option for NODE_OPTIONS, where spaces separate options */
function requireOption(file) {
  return `--require=${/\s/.test(file) ? JSON.stringify(file) : file}`;
}
