import { randomInt } from 'node:crypto';
import { link, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { TraceLines } from 'mongodb-pool-monitor';
import { definePools, describeLoop } from './recent-trace.js';

/** @import { FileHandle } from 'node:fs/promises' */
/** @import { CheckoutRecord, RequestRecord } from 'mongodb-pool-monitor' */
/** @import { Second } from '../universal/feed-shapes.js' */
/** @import { LiveSource } from './live-source.js' */
/** @import { DescribedClient } from './recent-trace.js' */

/** A request that waits less has other worries. */
const MIN_WAIT_MS = 10;
/** Requests kept per second. */
const MAX_REQUESTS = 5;
/** Checkouts searched for those of a request. Listing as many takes the app a few ms, only in seconds with waits. */
const MAX_CHECKOUTS = 2000;
/** A trace's largest number, less as many as one process needs. */
const MAX_FIRST_ID = 2 ** 31 - 1e6;
const FIRST_BYTES = '{"trace":"mongodb-pool-lab","version":3';
const NEWLINE = 10;
/** A process that rotates the file takes much less. */
const ROTATION_MS = 10_000;

/**
 * A history of the app's pools on disk: for each second with requests its gauges, and the requests that waited longest.
 * It is a trace, see docs/trace-format.md. When the file has half of its bytes, it becomes FILE.1, in place of the one
 * before.
 *
 * Several processes may write one file, at the same time or one after the other. So each write is one call that appends
 * whole lines, the numbers of definitions begin at random, and times count from the epoch. An end by kill -9 loses the
 * last second.
 */
export class HistoryFile {
  #source;
  #file;
  #maxBytes;
  #isWriting = false;
  #hasEnded = false;
  /** @type {{ handle: FileHandle, ino: number, trace: TraceLines, process: number, defined: string } | undefined} */
  #opened;
  #lastIds = { checkouts: 0, requests: 0, events: 0 };

  /** @param {LiveSource} source @param {{ file: string, maxBytes: number }} options maxBytes: of both files */
  constructor(source, { file, maxBytes }) {
    this.#source = source;
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** Whether there is something to write. @param {Second} second */
  isWanted({ waiting, ratePerSec }) {
    // What is not written now comes with the next second.
    if (this.#isWriting || this.#hasEnded) return false;
    return waiting > 0 || ratePerSec > 0 || this.#source.checkouts.events.lastId > this.#lastIds.events;
  }

  /** @param {Second} second @param {DescribedClient[]} clients */
  write(second, clients) {
    this.#isWriting = true;
    this.#append(second, clients)
      .catch((error) => {
        if (this.#hasEnded) return;
        this.#hasEnded = true;
        process.stderr.write(`mongodb-pool-monitor: the history ${this.#file} ends: ${error.message}\n`);
      })
      .finally(() => {
        this.#isWriting = false;
        if (this.#hasEnded) this.#release();
      });
  }

  /** Writes no more. */
  close() {
    this.#hasEnded = true;
    if (!this.#isWriting) this.#release();
  }

  #release() {
    this.#opened?.handle.close().catch(() => {});
    this.#opened = undefined;
  }

  /** @param {Second} second @param {DescribedClient[]} clients */
  async #append(second, clients) {
    await this.#rotate();
    const opened = this.#opened ?? (await this.#open());
    this.#opened = opened;
    const { handle, trace, process } = opened;
    const defined = JSON.stringify(clients.map(({ name, servers, options }) => [name, servers, options]));
    const pools = defined === opened.defined ? [] : definePools(trace, clients, process);
    opened.defined = defined;
    const lines = [...pools, ...this.#describeWaits(trace, process), describeSecond(trace, process, second)];
    // Without an await in between, so that the lines of processes do not mix.
    await handle.appendFile(toText(lines.flat()));
  }

  /** @param {TraceLines} trace @param {number} process */
  #describeWaits(trace, process) {
    const { checkouts, requests } = this.#source;
    const ended = requests.log.list({ after: this.#lastIds.requests });
    const longest = pickLongest(ended.filter(({ waitMs }) => waitMs >= MIN_WAIT_MS));
    const outside = checkouts.list({ after: this.#lastIds.checkouts, isOutside: true }).filter(hasWaited);
    const events = checkouts.events.list({ after: this.#lastIds.events });
    const numbers = new Set(longest.map(({ request }) => request));
    const own =
      longest.length === 0
        ? []
        : checkouts
            .list({ after: checkouts.lastId - MAX_CHECKOUTS })
            .filter(({ request }) => request !== null && numbers.has(request));
    this.#lastIds = { checkouts: checkouts.lastId, requests: requests.log.lastId, events: checkouts.events.lastId };
    return [
      ...events.map((event) => trace.ofEvent({ ...event, process })),
      ...[...own, ...outside.toSorted((a, b) => waitOf(b) - waitOf(a)).slice(0, MAX_REQUESTS)].map((checkout) =>
        trace.ofCheckout({ ...checkout, process }),
      ),
      ...longest.map((request) => trace.ofRequest({ ...request, process })),
    ];
  }

  async #open() {
    const trace = new TraceLines({ firstId: randomInt(MAX_FIRST_ID), originMs: 0 });
    const handle = await openTrace(this.#file, toText(trace.ofTrace({ history: true })));
    const { ino } = await handle.stat();
    const { pid, command, node } = /** @type {any} */ (this.#source.about().process) ?? {};
    const number = randomInt(MAX_FIRST_ID);
    const definition = { define: 'process', id: number, pid, command, node, attached: pid !== undefined };
    await handle.appendFile(toText([definition]));
    return { handle, ino, trace, process: number, defined: '' };
  }

  /** Begins a new file if this one is full. Of several processes, one does it. */
  async #rotate() {
    const { ino, size } = await stat(this.#file).catch(() => ({ ino: NaN, size: 0 }));
    if (ino !== this.#opened?.ino) this.#release();
    if (size < this.#maxBytes / 2) return;
    const lock = `${this.#file}.lock`;
    const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs > ROTATION_MS) await rm(lock, { force: true });
    const isOurs = await writeFile(lock, '', { flag: 'wx' }).then(
      () => true,
      () => false,
    );
    if (!isOurs) return;
    try {
      if ((await stat(this.#file)).ino === ino) await setAside(this.#file);
    } finally {
      await rm(lock, { force: true });
    }
    this.#release();
  }
}

/**
 * Opens a file for appending, after creating it with its first line where it is missing.
 *
 * @param {string} file
 * @param {string} header
 * @throws {Error} if it is something else
 */
async function openTrace(file, header) {
  const draft = `${file}.${randomInt(MAX_FIRST_ID)}`;
  await writeFile(draft, header);
  try {
    // Whole or not at all: another process may be about to do the same.
    await link(draft, file).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const handle = await open(file, 'a+');
  const { size } = await handle.stat();
  const first = await handle.read(Buffer.alloc(FIRST_BYTES.length), 0, FIRST_BYTES.length, 0);
  const last = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (first.buffer.toString() === FIRST_BYTES && last.buffer[0] === NEWLINE) return handle;
  await handle.close();
  if (first.buffer.toString() !== FIRST_BYTES) throw new Error('it is another file, which stays as it is');
  // Its last line was cut, as by a full disk.
  await setAside(file);
  return openTrace(file, header);
}

/** @param {string} file */
function setAside(file) {
  return rename(file, `${file}.1`);
}

/** @param {TraceLines} trace @param {number} process @param {Second} second */
function describeSecond(trace, process, second) {
  const { max, active, waiting, ratePerSec, heldMs } = second;
  const gauges = { requests: Math.round(ratePerSec), max, active, waiting, ...(waiting > 0 && { heldMs }) };
  return trace.ofSecond('loop', { ...describeLoop(second), process, ...gauges });
}

/** @param {RequestRecord[]} requests */
function pickLongest(requests) {
  return requests.toSorted((a, b) => b.waitMs - a.waitMs).slice(0, MAX_REQUESTS);
}

/** @param {CheckoutRecord} checkout */
function waitOf({ checkOutStartedAtMs, checkedOutAtMs, endedAtMs }) {
  return (checkedOutAtMs ?? endedAtMs) - checkOutStartedAtMs;
}

/** @param {CheckoutRecord} checkout */
function hasWaited(checkout) {
  return waitOf(checkout) >= MIN_WAIT_MS;
}

/** @param {Record<string, unknown>[]} lines */
function toText(lines) {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
