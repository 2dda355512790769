import path from 'node:path';
import { readTrace } from 'mongodb-pool-predictor/node';
import { layOutText, widthOf } from '../report/table.js';
import { StatusLine } from './status-line.js';

/** @import { Step } from '../harness/run-lab.js' */

const BAR_COLUMNS = 30;
/** The shortest time between two bars, in ms. */
const REDRAW_MS = 250;

/** Shows the progress of a run: on a terminal as a bar with the time left, elsewhere as one line per measurement. */
export class ProgressBar {
  #stream;
  /** Only on a terminal, from the first step on. @type {StatusLine | undefined} */
  #line;

  /** @param {NodeJS.WriteStream} stream */
  constructor(stream) {
    this.#stream = stream;
  }

  /** @param {string} line */
  report(line) {
    if (this.#line) this.#line.report(line);
    else this.#stream.write(`${line}\n`);
  }

  /** @param {Step} step that begins now @param {typeof drawBar} [drawLine] on a terminal, default: a bar */
  step(step, drawLine = drawBar) {
    if (!this.#stream.isTTY) {
      const left = Number.isNaN(step.leftMs) ? '' : `: about ${inSeconds(step.leftMs)} left`;
      return this.report(layOutText(`${step.name}${left}`, widthOf(this.#stream)));
    }
    const startedAtMs = performance.now();
    this.stop();
    const draw = () => {
      const elapsedMs = performance.now() - startedAtMs;
      if (Number.isNaN(step.leftMs)) return `${step.name}: ${inSeconds(elapsedMs)} so far`;
      return drawLine(step, Math.min(elapsedMs, step.estimateMs));
    };
    this.#line = new StatusLine(this.#stream, draw, REDRAW_MS);
    this.#line.draw();
  }

  stop() {
    this.#line?.stop();
    this.#line = undefined;
  }
}

/** @param {Step} step @param {number} elapsedMs since it began */
function drawBar({ name, leftMs, totalMs }, elapsedMs) {
  const share = Math.min(1, (totalMs - leftMs + elapsedMs) / totalMs);
  const bar = '\u2588'.repeat(Math.round(share * BAR_COLUMNS)).padEnd(BAR_COLUMNS, '\u2591');
  return `${bar} ${Math.floor(share * 100)}%  ${inSeconds(leftMs - elapsedMs)} left  ${name}`;
}

/** Leaves its place to a longer name. @type {typeof drawBar} */
function drawShare({ name, leftMs, totalMs }, elapsedMs) {
  const share = Math.min(1, (totalMs - leftMs + elapsedMs) / totalMs);
  return `${name}: ${Math.floor(share * 100)}%, ${inSeconds(leftMs - elapsedMs)} left`;
}

/** How long a simulation is silent, in ms. */
const QUIET_MS = 1000;
/** Where there is no terminal: the time between two lines, in ms. */
const LINE_MS = 10_000;

/**
 * Shows the progress of work, if it takes longer than a second.
 * @param {NodeJS.WriteStream} stream
 * @param {() => number} [now] in ms
 * @param {string} [doing] what
 */
export function createRunProgress(stream, now = () => performance.now(), doing = 'simulating') {
  const bar = new ProgressBar(stream);
  const startedAtMs = now();
  let said = '';
  let nextAtMs = startedAtMs + (stream.isTTY ? QUIET_MS : LINE_MS);

  /** @param {{ step: string, done: number, total: number }} progress runs, or bytes */
  function onProgress({ step, done, total }) {
    const nowMs = now();
    if (nowMs < nextAtMs) return;
    // The work keeps the thread too busy for the line's ticker.
    nextAtMs = nowMs + (stream.isTTY ? REDRAW_MS : LINE_MS);
    const elapsedMs = nowMs - startedAtMs;
    const leftMs = (elapsedMs * (total - done)) / done;
    const times = { estimateMs: leftMs, leftMs, totalMs: elapsedMs + leftMs };
    if (said) bar.step({ name: said, ...times }, drawShare);
    else bar.step({ name: `${doing} ${step}`, ...times });
  }

  /** @param {string} known is shown from now on, at once on a terminal, in place of the step */
  function say(known) {
    said = known;
    if (stream.isTTY) nextAtMs = now();
  }

  return { onProgress, say, stop: () => bar.stop() };
}

/** Reads a trace and shows the progress on stderr. @param {string} file */
export async function readShown(file) {
  const { onProgress, stop } = createRunProgress(process.stderr, undefined, 'reading');
  const step = path.basename(file);
  try {
    return await readTrace(file, (bytes) => onProgress({ step, ...bytes }));
  } finally {
    stop();
  }
}

/** @param {number} ms */
function inSeconds(ms) {
  return `${Math.ceil(ms / 1000)} s`;
}
