import { readdir, readFile, readlink } from 'node:fs/promises';
import { readSetting } from '../../src/process/process-info.js';
import { repeatUntil } from '../base/poll.js';
import { ATTACH_OPTION } from './attached-app.js';
import { describeOther, isOtherRuntime, printProgram } from './node-target.js';
import { listPrograms } from './programs.js';

/** @import { AttachedProcess } from './attach-reports.js' */
/** @import { Program } from './programs.js' */

/** A client usually connects before its app listens, or soon after. */
const PATIENCE_MS = 2500;
const EVERY_MS = 1000;
/** How /proc/net/tcp writes the state LISTEN. */
const LISTEN = '0A';
const KEEP = 'NODE_OPTIONS and the settings that begin with POOL_MONITOR_';

/**
 * A process of the app that the monitor has not reported, and that listens or has started no other.
 *
 * @typedef {object} Unreported
 * @property {number} pid
 * @property {number} [port] that it listens on
 * @property {string} [command] if it is Node.js
 * @property {string} [problem] why it can't be watched, if it is not
 * @property {boolean} [isRuntime] whether it is Bun or Deno
 * @property {string} [nodeOptions] those that it was started with
 */

/**
 * Says why nothing of an app is watched: once for each process that listens without the monitor, for one that listens
 * without a MongoClient, and for one that is not Node.js.
 *
 * @param {AttachedProcess[]} processes that have the monitor; may grow
 * @param {object} options
 * @param {number} options.root the process that starts the app
 * @param {boolean} options.mayAttach whether the user could use `pool-lab attach`
 * @param {(text: string, isFinal: boolean) => void} options.onProblem isFinal: this app can never be watched
 * @param {AbortSignal} options.stop
 */
export function explainUnwatched(processes, { root, mayAttach, onProblem, stop }) {
  const finder = new ProblemFinder({ mayAttach });
  const look = async () => {
    const known = new Set([...processes.map(({ pid }) => pid), ...finder.told]);
    const unreported = await findUnreported(root, known);
    if (stop.aborted) return;
    for (const { text, isFinal = false } of finder.find(processes, unreported, performance.now()))
      onProblem(text, isFinal);
  };
  repeatUntil(look, { everyMs: EVERY_MS, stop }).catch(() => {});
}

export class ProblemFinder {
  /** When each process was seen first. @type {Map<number, number>} */
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
   * @param {Unreported[] | undefined} unreported others; undefined if the system does not say
   * @param {number} nowMs
   * @returns {{ pid: number, text: string, isFinal?: boolean }[]} new problems
   */
  find(processes, unreported, nowMs) {
    const problems = [
      ...(unreported ?? [{ pid: NOBODY }]).map((each) => this.#findUnreported(each, processes, nowMs)),
      ...processes.map((each) => this.#findWithoutClient(each, processes, nowMs)),
    ].filter((each) => each !== undefined);
    return problems.filter(({ pid }) => {
      const isNew = !this.told.has(pid);
      this.told.add(pid);
      return isNew;
    });
  }

  /** @param {Unreported} found @param {AttachedProcess[]} processes @param {number} nowMs */
  #findUnreported(found, processes, nowMs) {
    const { pid, port, command, problem, isRuntime, nodeOptions } = found;
    // Its report may have come meanwhile.
    if (processes.some((each) => each.pid === pid)) return undefined;
    const hasMonitor = nodeOptions?.includes(ATTACH_OPTION);
    if (command !== undefined && port !== undefined)
      return hasMonitor ? undefined : { pid, text: describeReplaced({ ...found, port }, this.#mayAttach) };
    // The app may listen elsewhere, once this one is ready.
    if (!this.#isLate(pid, nowMs) || processes.length > 0) return undefined;
    if (problem && port === undefined) return { pid, text: problem };
    if (problem) return { pid, text: `port ${port} can't be watched. ${problem}`, isFinal: isRuntime };
    if (this.told.size > 0) return undefined;
    // A build goes through many processes: the first one is enough.
    return { pid: NOBODY, text: command === undefined ? UNKNOWN : describeIdle(pid, command) };
  }

  /** @param {AttachedProcess} process @param {AttachedProcess[]} processes @param {number} nowMs */
  #findWithoutClient({ pid, command, ports: [port] }, processes, nowMs) {
    if (port === undefined || !this.#isLate(pid, nowMs)) return undefined;
    if (processes.some(({ url, notWatched }) => url !== undefined || notWatched !== undefined)) return undefined;
    return {
      pid,
      text:
        `process ${pid} (${command}) listens on port ${port}, ` +
        `but no MongoClient of driver 4 or later has connected in it. ${OTHER_DRIVERS}`,
    };
  }

  /** @param {number} pid @param {number} nowMs */
  #isLate(pid, nowMs) {
    if (!this.#since.has(pid)) this.#since.set(pid, nowMs);
    return nowMs - Number(this.#since.get(pid)) >= PATIENCE_MS;
  }
}

/** In place of a process id. */
const NOBODY = 0;
const OTHER_DRIVERS = "A client that connects later will be watched. Other drivers, such as Prisma's engine, can't be";
const UNKNOWN =
  'no process with the monitor listens yet. If the app answers, what starts it replaces NODE_OPTIONS: write ' +
  'NODE_OPTIONS="$NODE_OPTIONS ..." there';

/** @param {number} pid @param {string} command of a process with the monitor */
function describeIdle(pid, command) {
  return `process ${pid} (${command}) runs, but no MongoClient has connected in it so far. ${OTHER_DRIVERS}`;
}

/** @param {Unreported & { port: number }} process that listens @param {boolean} mayAttach */
function describeReplaced({ pid, port, command, nodeOptions }, mayAttach) {
  const what = `process ${pid} (${command}) listens on port ${port}, but is not watched. What starts it`;
  const advice = nodeOptions
    ? `sets NODE_OPTIONS=${nodeOptions} in place of ours: write NODE_OPTIONS="$NODE_OPTIONS ${nodeOptions}" there`
    : `does not pass on NODE_OPTIONS: let it keep ${KEEP}`;
  return `${what} ${advice}${mayAttach ? `, or watch it as it is with: pool-lab attach ${pid}` : ''}`;
}

/**
 * Lists what a process has started: what listens on a TCP port, and the last of each chain of npm, shells and such.
 *
 * @param {number} root process id
 * @param {Set<number>} known those to leave out
 * @returns {Promise<Unreported[] | undefined>} undefined if the system has no /proc and shows no other runtime
 */
async function findUnreported(root, known) {
  const programs = await listPrograms(root);
  const parents = new Set(programs.map(({ parent }) => parent));
  const others = programs.filter(({ pid }) => !known.has(pid));
  const last = others.filter(({ pid }) => !parents.has(pid));
  if (process.platform !== 'linux') {
    const runtimes = last.filter(isOtherRuntime).map((program) => describe(program));
    return runtimes.length > 0 ? runtimes : undefined;
  }
  const found = await Promise.all(others.map(async (program) => describe(program, await findPort(program.pid))));
  const isLast = (/** @type {number} */ pid) => last.some((program) => program.pid === pid);
  return found.filter(
    ({ pid, port, command, isRuntime }) => port !== undefined || (isLast(pid) && (isRuntime || command !== undefined)),
  );
}

/** @param {Program} program @param {number} [port] that it listens on @returns {Unreported} */
function describe(program, port) {
  const { pid, name, words } = program;
  return /^node/.test(name)
    ? { pid, port, command: printProgram(words), nodeOptions: readSetting(pid, 'NODE_OPTIONS') }
    : { pid, port, problem: describeOther(program), isRuntime: isOtherRuntime(program) };
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
