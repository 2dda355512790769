import { Chart, chooseSteps, isOnStep, onLookChange, readColor } from '../../../report/browser/chart-tools.js';

/** @import { ChartDataset } from 'chart.js' */
/** @import { LessonView } from '../lesson-view.js' */

/** A linear axis with a wider range would squeeze most dots into its left end. */
const WIDE_RANGE = 30;
/** A logarithmic axis begins here at the earliest. */
const MIN_LOG = 1e-6;
const MAX_PILES = 40;
/** Height of the axis alone, where nobody has guessed. */
const MIN_ROWS = 0.1;
/** Room above the dots, so that the line of the answer can be seen. */
const HEADROOM_ROWS = 0.8;
const [MIN_RADIUS, MAX_RADIUS] = [2.5, 9];
/** Radius on a projector, where there is room. */
const LARGE_RADIUS = 18;
const MAX_PILE_PX = 300;
const AXIS_PX = 52;
/** What the answer adds to the axis, because it is larger than the other figures. */
const ANSWER_PX = 12;
/** The answer on the axis, as times the size of the other figures. */
const ANSWER_SIZE = 1.6;
/** Width of a digit of the other figures, and of the room beside the answer. */
const [DIGIT_PX, BESIDE_PX] = [9, 24];
const CURVE_PX = 340;

/** @typedef {{ low: number, high: number, isLog: boolean }} Range */

/**
 * Draws a lesson's charts into the canvases below an element. Colours come from the style sheet.
 * @param {ParentNode} root
 * @param {LessonView} lesson
 * @param {{ mine?: number, freePx?: number }} [options] mine: the guess of whoever looks; freePx: height of each chart
 *   at most, and it may use it; default: as high as it needs
 */
export function drawCharts(root, lesson, { mine, freePx } = {}) {
  /** @type {NodeListOf<HTMLCanvasElement>} */
  const canvases = root.querySelectorAll('canvas[data-chart]');
  for (const canvas of canvases) Chart.getChart(canvas)?.destroy();
  for (const canvas of canvases) {
    const box = /** @type {HTMLElement} */ (canvas.parentElement);
    Chart.defaults.font = { family: getComputedStyle(box).fontFamily, size: 15 * readScale() };
    Chart.defaults.color = readColor('muted');
    if (canvas.dataset.chart === 'guesses') drawGuesses(canvas, box, { ...lesson, mine }, freePx);
    else if (lesson.curve) drawCurve(canvas, box, lesson, freePx);
  }
}

/**
 * Guesses above a line, measurements below it, each a dot. The answer is marked on the axis, with a line up to the
 * guesses.
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} box
 * @param {LessonView & { mine?: number }} lesson
 * @param {number | undefined} freePx see drawCharts
 */
function drawGuesses(canvas, box, { guesses, measured, answer, results, mine, guessChart: { words, axis } }, freePx) {
  const range = findRange([...guesses, ...measured, ...(answer ? [answer.value] : [])]);
  const unit = readScale();
  const piles = Math.max(1, Math.min(MAX_PILES, Math.floor(box.clientWidth / (2 * MAX_RADIUS * unit))));
  const [above, below] = [guesses, measured].map((values) => stack(values, range, piles));
  const [top, bottom] = [above, below].map((dots) => Math.max(0, ...dots.map(({ y }) => y + 0.5)));
  const rows = { above: Math.max(top, MIN_ROWS) + (answer ? HEADROOM_ROWS : 0), below: bottom };
  const axisPx = unit * (AXIS_PX + (answer ? ANSWER_PX : 0));
  const pilePx = freePx === undefined ? Infinity : (freePx - axisPx) / (rows.above + rows.below);
  const most = freePx === undefined ? MAX_RADIUS : LARGE_RADIUS;
  const widest = Math.min(unit * most, (unit * MAX_PILE_PX) / 2 / Math.max(top, bottom, 1), pilePx / 2);
  const radius = Math.max(unit * MIN_RADIUS, widest);
  box.style.height = `${(rows.above + rows.below) * 2 * radius + axisPx}px`;
  const closest = new Set(results.filter(({ place }) => place === 1).map(({ guess }) => guess));
  drawScatter(canvas, words, {
    sidePx: radius,
    datasets: [
      createDots(markOwn(above, mine), radius, ({ value, isOwn }) =>
        closest.has(value) ? 'highlight' : isOwn ? 'measured-1' : 'paper',
      ),
      createDots(
        below.map((dot) => ({ ...dot, y: -dot.y })),
        radius,
      ),
      ...(answer
        ? [
            createLine(
              [-rows.below, rows.above].map((y) => ({ x: answer.value, y })),
              { borderWidth: 2 * unit, borderColor: readColor('ink') },
            ),
          ]
        : []),
    ],
    scales: {
      x: {
        type: /** @type {'linear'} */ (range.isLog ? 'logarithmic' : 'linear'),
        min: range.low,
        max: range.high,
        grid: { display: false },
        border: { display: false },
        ticks: {
          includeBounds: false,
          maxRotation: 0,
          autoSkip: !answer,
          callback: (/** @type {number} */ value) => (value === answer?.value ? answer.mark : format(value)),
          color: onAnswer(answer, readColor('ink'), readColor('muted')),
          font: onAnswer(answer, { weight: 'bold', size: ANSWER_SIZE * 15 * unit }, {}),
        },
        title: { display: true, text: axis, color: readColor('ink'), font: { weight: 'bold' } },
        afterBuildTicks: nameTicks(range, answer, box.clientWidth / unit),
        // In a low chart, the library would give the axis half of the height, more or less than it needs.
        afterFit(/** @type {any} */ scale) {
          scale.height = axisPx;
        },
      },
      y: {
        min: -rows.below,
        max: rows.above,
        border: { display: false },
        ticks: { display: false },
        grid: { color: readColor('ink'), lineWidth: 1.5, drawTicks: false },
        // One line, between guesses and measurements.
        afterBuildTicks(/** @type {any} */ scale) {
          scale.ticks = [{ value: 0 }];
        },
      },
    },
  });
}

/**
 * Everybody's measured pool sizes: the slowest request by pool size, and a line through the medians.
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} box
 * @param {LessonView} lesson
 * @param {number | undefined} freePx see drawCharts
 */
function drawCurve(canvas, box, { points, curve }, freePx) {
  const { words, medians } = /** @type {NonNullable<LessonView['curve']>} */ (curve);
  box.style.height = `${freePx ?? CURVE_PX * readScale()}px`;
  const [found, typical] = [points, medians].map((pairs) => pairs.map(([x, ms]) => ({ x, y: ms / 1000 })));
  drawScatter(canvas, words, {
    datasets: [createDots(found, 6 * readScale()), createLine(typical, { borderWidth: 2.5 })],
    scales: {
      x: {
        type: /** @type {const} */ ('linear'),
        min: 0,
        max: Math.max(...points.map(([size]) => size)) + 0.5,
        grid: { display: false },
        border: { color: readColor('rule') },
        ticks: { includeBounds: false, maxRotation: 0, autoSkipPadding: 8 },
        title: { display: true, text: 'connections' },
        afterBuildTicks(/** @type {any} */ scale) {
          scale.ticks = medians.map(([value]) => ({ value }));
        },
      },
      y: {
        beginAtZero: true,
        border: { display: false },
        grid: { color: readColor('rule') },
        ticks: { maxTicksLimit: 7, callback: (/** @type {string | number} */ seconds) => `${seconds} s` },
      },
    },
  });
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {string} words what the chart shows, for screen readers
 * @param {object} parts
 * @param {ChartDataset<'scatter', { x: number, y: number }[]>[]} parts.datasets
 * @param {Record<string, object>} parts.scales
 * @param {number} [parts.sidePx] room beside the axes, for dots at their ends
 */
function drawScatter(canvas, words, { datasets, scales, sidePx = 0 }) {
  canvas.setAttribute('aria-label', words);
  return new Chart(canvas, {
    type: 'scatter',
    data: { datasets },
    options: {
      animation: false,
      maintainAspectRatio: false,
      // Its own padding would also be above the dots, where they have room already.
      layout: { autoPadding: false, padding: { left: sidePx, right: sidePx } },
      events: [],
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
      scales,
    },
  });
}

/**
 * Measurements, or with another colour inside guesses: the closest lights up, and one's own.
 * @template {{ x: number, y: number, isOwn?: boolean }} D
 * @param {D[]} data
 * @param {number} radius
 * @param {(dot: D) => string} [inside] name of the colour
 */
function createDots(data, radius, inside = () => 'ink') {
  return {
    data,
    pointRadius: data.map(({ isOwn }) => radius * (isOwn ? 1 : 0.78)),
    pointBackgroundColor: data.map((dot) => readColor(inside(dot))),
    pointBorderColor: data.map(({ isOwn }) => readColor(isOwn ? 'measured-1' : 'ink')),
    pointBorderWidth: data.map(({ isOwn }) => Math.min(2.5, radius / 3) * (isOwn ? 2 : 1)),
    clip: /** @type {const} */ (false),
    order: 1,
  };
}

/**
 * Marks one's own dot, one of those with the same guess.
 * @template {{ value: number }} D
 * @param {D[]} dots
 * @param {number} [mine]
 */
function markOwn(dots, mine) {
  const own = dots.findIndex(({ value }) => value === mine);
  return dots.map((dot, index) => ({ ...dot, isOwn: index === own }));
}

/** @param {{ x: number, y: number }[]} data @param {{ borderWidth: number, borderColor?: string }} stroke */
function createLine(data, stroke) {
  return {
    data,
    showLine: true,
    pointRadius: 0,
    borderColor: readColor('published'),
    order: 2,
    clip: /** @type {const} */ (false),
    ...stroke,
  };
}

/** @param {number[]} values @returns {Range} */
function findRange(values) {
  const [least, most] = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [0, 10];
  const isLog = least >= MIN_LOG && most / least > WIDE_RANGE;
  if (isLog) return { low: least / 1.3, high: most * 1.3, isLog };
  const low = Math.min(0, least);
  return { low, high: most + ((most - low) * 0.06 || 1), isLog };
}

/**
 * Values that are close to each other share a pile, which stands at their mean. y counts from the bottom of the pile.
 * @param {number[]} values
 * @param {Range} range
 * @param {number} count of piles that fit beside each other
 */
function stack(values, range, count) {
  /** @type {Map<number, number[]>} */
  const piles = new Map();
  for (const value of values) {
    const at = Math.round(placeOf(value, range) * count);
    piles.set(at, [...(piles.get(at) ?? []), value]);
  }
  return [...piles.values()].flatMap((pile) => {
    const x = pile.reduce((sum, value) => sum + value, 0) / pile.length;
    return pile.map((value, level) => ({ x, y: level + 0.5, value }));
  });
}

/**
 * Names the answer, and the ticks that are not too close to it. A logarithmic axis has powers of ten, and 2 and 5 times
 * as much where there are few powers.
 * @param {Range} range
 * @param {LessonView['answer']} answer
 * @param {number} width of the axis, for type of the usual size
 */
function nameTicks(range, answer, width) {
  const steps = chooseSteps(range.low, range.high);
  const roomPx = answer ? (answer.mark.length * DIGIT_PX * ANSWER_SIZE) / 2 + BESIDE_PX : 0;
  const isFree = (/** @type {number} */ value) =>
    !answer || Math.abs(placeOf(value, range) - placeOf(answer.value, range)) * width > roomPx;
  return (/** @type {any} */ scale) => {
    /** @type {number[]} */
    const values = scale.ticks.map((/** @type {{ value: number }} */ { value }) => value);
    const kept = values.filter((value) => (!range.isLog || isOnStep(value, steps)) && isFree(value));
    scale.ticks = [...kept, ...(answer ? [answer.value] : [])].map((value) => ({ value }));
  };
}

/**
 * @template T
 * @param {LessonView['answer']} answer
 * @param {T} there on its tick
 * @param {T} elsewhere
 */
function onAnswer(answer, there, elsewhere) {
  return (/** @type {any} */ { tick }) => (answer && tick?.value === answer.value ? there : elsewhere);
}

/** @param {number} value @param {Range} range @returns {number} from 0 to 1 */
function placeOf(value, { low, high, isLog }) {
  return isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

/** @param {number} value */
function format(value) {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

/** Charts grow with the type of their page. */
function readScale() {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
}

/** Draws the charts of the room's result, where each lesson brings its figures along. */
function drawResult() {
  for (const charts of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-lesson]'))) {
    drawCharts(charts, JSON.parse(String(charts.dataset.lesson)));
  }
}

if (document.querySelector('[data-lesson]')) {
  drawResult();
  onLookChange(drawResult);
}
