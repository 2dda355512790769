import { SingleBar } from 'cli-progress';

/**
 * Show the progress of a run: on a terminal as a bar with the time left, elsewhere as one line per measurement.
 * @param {NodeJS.WriteStream} stream
 */
export function createProgressBar(stream) {
  /** @type {SingleBar | undefined} */
  let bar;
  /** @type {NodeJS.Timeout | undefined} */
  let ticker;

  /** @param {string} line */
  function report(line) {
    if (bar) {
      // The ticker draws it again.
      stream.cursorTo(0);
      stream.clearLine(0);
    }
    stream.write(`${line}\n`);
  }

  /** @param {import('../harness/run-lab.js').Step} step */
  function step({ name, estimateMs, leftMs, totalMs }) {
    if (!stream.isTTY) return report(`${name}: about ${inSeconds(leftMs)} left`);
    const startedAt = performance.now();
    if (!bar) {
      bar = createBar(stream);
      bar.start(totalMs, totalMs - leftMs, { name, left: inSeconds(leftMs) });
    }
    bar.setTotal(totalMs);
    const draw = () => {
      const elapsedMs = Math.min(performance.now() - startedAt, estimateMs);
      bar?.update(totalMs - leftMs + elapsedMs, { name, left: inSeconds(leftMs - elapsedMs) });
    };
    clearInterval(ticker);
    ticker = setInterval(draw, 250);
    draw();
  }

  function stop() {
    clearInterval(ticker);
    bar?.stop();
    bar = undefined;
  }

  return { report, step, stop };
}

/** How long a simulation is silent, in ms. */
const QUIET_MS = 1000;
/** The shortest time between two bars, in ms. A simulation keeps the thread too busy for a ticker. */
const REDRAW_MS = 250;
/** Where there is no terminal: the time between two lines, in ms. */
const LINE_MS = 10_000;

/**
 * The progress of simulation runs, if they take longer than a second.
 * @param {NodeJS.WriteStream} stream
 * @param {() => number} [now] in ms
 */
export function createRunProgress(stream, now = () => performance.now()) {
  const bar = createProgressBar(stream);
  const startedAtMs = now();
  let nextAtMs = startedAtMs + (stream.isTTY ? QUIET_MS : LINE_MS);

  /** @param {{ step: string, done: number, total: number }} progress runs; see advise */
  function onProgress({ step, done, total }) {
    const nowMs = now();
    if (nowMs < nextAtMs) return;
    nextAtMs = nowMs + (stream.isTTY ? REDRAW_MS : LINE_MS);
    const elapsedMs = nowMs - startedAtMs;
    const leftMs = (elapsedMs * (total - done)) / done;
    bar.step({ name: `simulating ${step}`, estimateMs: leftMs, leftMs, totalMs: elapsedMs + leftMs });
  }

  return { onProgress, stop: bar.stop };
}

/** @param {NodeJS.WriteStream} stream */
function createBar(stream) {
  return new SingleBar({
    stream, format: '{bar} {percentage}%  {left} left  {name}', barsize: 30,
    barCompleteChar: '\u2588', barIncompleteChar: '\u2591', clearOnComplete: true, stopOnComplete: false,
  });
}

/** @param {number} ms */
function inSeconds(ms) {
  return `${Math.ceil(ms / 1000)} s`;
}
