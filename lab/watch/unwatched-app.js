import { readdir, readFile, readlink } from 'node:fs/promises';
import { listTree, readSetting } from '../../src/process/process-info.js';
import { repeatUntil } from '../base/poll.js';
import { ATTACH_OPTION } from '../harness/attached-app.js';
import { examineTarget } from './node-target.js';

/** @import { AttachedProcess } from '../harness/attach-reports.js' */

/** A client usually connects before its app listens, or soon after. */
const PATIENCE_MS = 3500;
const EVERY_MS = 1000;
/** How /proc/net/tcp writes the state LISTEN. */
const LISTEN = '0A';
const KEEP = 'NODE_OPTIONS and the settings that begin with POOL_MONITOR_';

/**
 * A process of the app that listens.
 *
 * @typedef {object} Listener
 * @property {number} pid
 * @property {number} port
 * @property {string} [command] if it is Node.js
 * @property {string} [problem] why it can't be watched, if it is not
 * @property {string} [nodeOptions] those that it was started with
 */

/**
 * Says why nothing of an app is watched: once for each process that listens without the monitor, and once for one that
 * listens without a MongoClient.
 *
 * @param {AttachedProcess[]} processes that have the monitor; may grow
 * @param {{ root: number, mayAttach: boolean, onProblem: (text: string) => void, stop: AbortSignal }} options root: the
 *   process that starts the app; mayAttach: the user has `pool-lab attach`
 */
export function explainUnwatched(processes, { root, mayAttach, onProblem, stop }) {
  const finder = new ProblemFinder({ mayAttach });
  const look = async () => {
    const known = new Set([...processes.map(({ pid }) => pid), ...finder.told]);
    const listeners = await findListeners(root, known);
    if (!stop.aborted) finder.find(processes, listeners, performance.now()).forEach(onProblem);
  };
  repeatUntil(look, { everyMs: EVERY_MS, stop }).catch(() => {});
}

export class ProblemFinder {
  /** When each process was first seen to listen. @type {Map<number, number>} */
  #since = new Map();
  /** Process ids that a problem was found for. @type {Set<number>} */
  told = new Set();
  #mayAttach;

  /** @param {{ mayAttach?: boolean }} [options] see explainUnwatched */
  constructor({ mayAttach = true } = {}) {
    this.#mayAttach = mayAttach;
  }

  /**
   * @param {AttachedProcess[]} processes that have the monitor
   * @param {Listener[] | undefined} listeners others; undefined if the system does not say
   * @param {number} nowMs
   * @returns {string[]} new problems
   */
  find(processes, listeners, nowMs) {
    const problems = [
      ...(listeners ?? [{ pid: 0, port: 0 }]).map((each) => this.#findWithoutMonitor(each, processes, nowMs)),
      ...processes.map((each) => this.#findWithoutClient(each, processes, nowMs)),
    ]
      .filter((each) => each !== undefined)
      .filter(({ pid }) => !this.told.has(pid));
    for (const { pid } of problems) this.told.add(pid);
    return problems.map(({ text }) => text);
  }

  /** @param {Listener} listener @param {AttachedProcess[]} processes @param {number} nowMs */
  #findWithoutMonitor(listener, processes, nowMs) {
    const { pid, port, command, problem, nodeOptions } = listener;
    // Its report may have come meanwhile.
    if (processes.some((each) => each.pid === pid)) return undefined;
    if (command !== undefined)
      return nodeOptions?.includes(ATTACH_OPTION)
        ? undefined
        : { pid, text: describeReplaced(listener, this.#mayAttach) };
    // The app may listen elsewhere, once this one is ready.
    if (!this.#isLate(pid, nowMs) || processes.length > 0) return undefined;
    return { pid, text: problem ? `port ${port} can't be watched. ${problem}` : UNKNOWN };
  }

  /** @param {AttachedProcess} process @param {AttachedProcess[]} processes @param {number} nowMs */
  #findWithoutClient({ pid, command, ports: [port] }, processes, nowMs) {
    if (port === undefined || !this.#isLate(pid, nowMs)) return undefined;
    if (processes.some(({ url, notWatched }) => url !== undefined || notWatched !== undefined)) return undefined;
    return {
      pid,
      text:
        `process ${pid} (${command}) listens on port ${port}, ` +
        'but no MongoClient of driver 4 or later has connected in it',
    };
  }

  /** @param {number} pid @param {number} nowMs */
  #isLate(pid, nowMs) {
    if (!this.#since.has(pid)) this.#since.set(pid, nowMs);
    return nowMs - Number(this.#since.get(pid)) >= PATIENCE_MS;
  }
}

const UNKNOWN =
  'no process with the monitor listens yet. If the app answers, what starts it replaces NODE_OPTIONS: write ' +
  'NODE_OPTIONS="$NODE_OPTIONS ..." there';

/** @param {Listener} listener @param {boolean} mayAttach */
function describeReplaced({ pid, port, command, nodeOptions }, mayAttach) {
  const what = `process ${pid} (${command}) listens on port ${port}, but is not watched. What starts it`;
  const advice = nodeOptions
    ? `sets NODE_OPTIONS=${nodeOptions} in place of ours: write NODE_OPTIONS="$NODE_OPTIONS ${nodeOptions}" there`
    : `does not pass on NODE_OPTIONS: let it keep ${KEEP}`;
  return `${what} ${advice}${mayAttach ? `, or watch it as it is with: pool-lab attach ${pid}` : ''}`;
}

/**
 * Lists the processes that listen on a TCP port, of those that a process started.
 *
 * @param {number} root process id
 * @param {Set<number>} known those to leave out
 * @returns {Promise<Listener[] | undefined>} undefined if the system has no /proc
 */
async function findListeners(root, known) {
  if (process.platform !== 'linux') return undefined;
  const found = await Promise.all(
    listTree(root)
      .filter((pid) => !known.has(pid))
      .map(findListener),
  );
  return found.filter((each) => each !== undefined);
}

/** @param {number} pid @returns {Promise<Listener | undefined>} */
async function findListener(pid) {
  const port = await findPort(pid);
  if (port === undefined) return undefined;
  try {
    const { command } = await examineTarget(pid);
    return { pid, port, command, nodeOptions: readSetting(pid, 'NODE_OPTIONS') };
  } catch (error) {
    return { pid, port, problem: /** @type {Error} */ (error).message };
  }
}

/** @param {number} pid @returns {Promise<number | undefined>} a port that it listens on */
async function findPort(pid) {
  const folder = `/proc/${pid}`;
  const files = await readdir(`${folder}/fd`).catch(() => []);
  const links = new Set(await Promise.all(files.map((file) => readlink(`${folder}/fd/${file}`).catch(() => ''))));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`${folder}/net/${name}`, 'utf8').catch(() => '')),
  );
  for (const line of tables.join('\n').split('\n')) {
    // sl, local address, remote address, state; the tenth column is the inode, see proc(5).
    const [, address, , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state === LISTEN && links.has(`socket:[${inode}]`)) return Number.parseInt(address.split(':')[1], 16);
  }
  return undefined;
}
