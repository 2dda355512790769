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
    bar ??= startBar(stream, totalMs);
    const startedAt = performance.now();
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

/** @param {NodeJS.WriteStream} stream @param {number} totalMs */
function startBar(stream, totalMs) {
  const bar = new SingleBar({
    stream, format: '{bar} {percentage}%  {left} left  {name}', barsize: 30,
    barCompleteChar: '\u2588', barIncompleteChar: '\u2591', hideCursor: true, clearOnComplete: true, stopOnComplete: false,
  });
  bar.start(totalMs, 0, { name: '', left: '' });
  return bar;
}

/** @param {number} ms */
function inSeconds(ms) {
  return `${Math.ceil(ms / 1000)} s`;
}
