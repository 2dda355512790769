/** @import { ChartDataset, Chart as ChartJs } from 'chart.js' */
/** @import { LessonView } from '../class-view.js' */

/** With a wider range than this, a linear axis would squeeze most dots into its left end. */
const WIDE_RANGE = 30;
/** A logarithmic axis begins here at the earliest. */
const MIN_LOG = 1e-6;
const MAX_PILES = 40;
/** Rows of dots that have room even where there are fewer. */
const MIN_ROWS = 3;
const [MIN_RADIUS, MAX_RADIUS] = [2.5, 9];
const MAX_PILE_PX = 300;
const AXIS_PX = 64;
const CURVE_PX = 340;
/** With less free height, charts on a projector are as high as elsewhere, and the page scrolls. */
const MIN_FILL_PX = 110;

/** From the library's script. @type {typeof ChartJs} */
const Chart = Reflect.get(globalThis, 'Chart');

/** @typedef {{ low: number, high: number, isLog: boolean }} Range */

/**
 * Draws a lesson's charts into the canvases below an element. Colours come from the style sheet.
 * @param {ParentNode} root
 * @param {LessonView} lesson
 */
export function drawCharts(root, lesson) {
  /** @type {NodeListOf<HTMLCanvasElement>} */
  const canvases = root.querySelectorAll('canvas[data-chart]');
  for (const canvas of canvases) Chart.getChart(canvas)?.destroy();
  const freePx = findFreeHeight(root.querySelectorAll('[data-fill]'));
  for (const canvas of canvases) {
    const box = /** @type {HTMLElement} */ (canvas.parentElement);
    Chart.defaults.font = { family: getComputedStyle(box).fontFamily, size: 15 * readScale() };
    Chart.defaults.color = readColor('muted');
    if (canvas.dataset.chart === 'guesses') drawGuesses(canvas, box, lesson, freePx);
    else if (lesson.curve) drawCurve(canvas, box, lesson, freePx);
  }
}

/** Draws again with other colours after a change of theme, and for paper. @param {() => void} draw */
export function onLookChange(draw) {
  for (const query of ['(prefers-color-scheme: dark)', 'print']) matchMedia(query).addEventListener('change', draw);
}

/**
 * Guesses above a line, measurements below it, each a dot.
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} box
 * @param {LessonView} lesson
 * @param {number | undefined} freePx height of the box; undefined: as high as the piles need
 */
function drawGuesses(canvas, box, { guesses, measured, guessChart: { words, axis, median, closest } }, freePx) {
  const range = findRange([...guesses, ...measured]);
  const unit = readScale();
  const piles = Math.max(1, Math.min(MAX_PILES, Math.floor(box.clientWidth / (2 * MAX_RADIUS * unit))));
  const [above, below] = [guesses, measured].map((values) => stack(values, range, piles));
  const [top, bottom] = [above, below].map((dots) => Math.max(0, ...dots.map(({ y }) => y + 0.5)));
  const rows = { above: Math.max(MIN_ROWS, top), below: below.length > 0 ? Math.max(MIN_ROWS, bottom) : 0 };
  const pilePx = freePx === undefined ? Infinity : (freePx - AXIS_PX * unit) / (rows.above + rows.below);
  const widest = Math.min(unit * MAX_RADIUS, (unit * MAX_PILE_PX) / 2 / Math.max(top, bottom, 1), pilePx / 2);
  const radius = Math.max(unit * MIN_RADIUS, widest);
  const height = (rows.above + rows.below) * 2 * radius + AXIS_PX * unit;
  const left = Math.max(0, (freePx ?? 0) - height);
  rows.above += left / 2 / radius;
  box.style.height = `${height + left}px`;
  drawScatter(canvas, words, {
    datasets: [
      createDots(above, radius, ({ value }) => (value === closest ? 'highlight' : 'paper')),
      createDots(
        below.map((dot) => ({ ...dot, y: -dot.y })),
        radius,
      ),
      ...(median === undefined
        ? []
        : [
            createLine(
              [-rows.below, rows.above].map((y) => ({ x: median, y })),
              { borderWidth: 2, borderDash: [5, 5] },
            ),
          ]),
    ],
    scales: {
      x: {
        type: /** @type {'linear'} */ (range.isLog ? 'logarithmic' : 'linear'),
        min: range.low,
        max: range.high,
        grid: { display: false },
        border: { display: false },
        ticks: { includeBounds: false, maxRotation: 0, autoSkipPadding: 18 },
        title: { display: true, text: axis, color: readColor('ink'), font: { weight: 'bold' } },
        afterBuildTicks: keepRoundPowers(range),
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
 * @param {number | undefined} freePx height of the box
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
 * @param {{ datasets: ChartDataset<'scatter', { x: number, y: number }[]>[], scales: Record<string, object> }} parts
 */
function drawScatter(canvas, words, { datasets, scales }) {
  canvas.setAttribute('aria-label', words);
  return new Chart(canvas, {
    type: 'scatter',
    data: { datasets },
    options: {
      animation: false,
      maintainAspectRatio: false,
      events: [],
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
      scales,
    },
  });
}

/**
 * Measurements, or with another colour inside guesses: the closest lights up.
 * @template {{ x: number, y: number }} D
 * @param {D[]} data
 * @param {number} radius
 * @param {(dot: D) => string} [inside] name of the colour
 */
function createDots(data, radius, inside = () => 'ink') {
  return {
    data,
    pointRadius: radius * 0.78,
    pointBackgroundColor: data.map((dot) => readColor(inside(dot))),
    pointBorderColor: readColor('ink'),
    pointBorderWidth: Math.min(2.5, radius / 3),
    clip: /** @type {const} */ (false),
    order: 1,
  };
}

/** @param {{ x: number, y: number }[]} data @param {{ borderWidth: number, borderDash?: number[] }} stroke */
function createLine(data, stroke) {
  return { data, showLine: true, pointRadius: 0, borderColor: readColor('published'), order: 2, ...stroke };
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
function stack(values, { low, high, isLog }, count) {
  const place = (/** @type {number} */ value) =>
    isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  /** @type {Map<number, number[]>} */
  const piles = new Map();
  for (const value of values) {
    const at = Math.round(place(value) * count);
    piles.set(at, [...(piles.get(at) ?? []), value]);
  }
  return [...piles.values()].flatMap((pile) => {
    const x = pile.reduce((sum, value) => sum + value, 0) / pile.length;
    return pile.map((value, level) => ({ x, y: level + 0.5, value }));
  });
}

/**
 * On a logarithmic axis, names powers of ten, and 2 and 5 times as much where there are few powers.
 * @param {Range} range
 */
function keepRoundPowers({ low, high, isLog }) {
  const named = high / low > 300 ? ['1'] : ['1', '2', '5'];
  return (/** @type {any} */ scale) => {
    if (isLog) {
      scale.ticks = scale.ticks.filter((/** @type {{ value: number }} */ { value }) =>
        named.includes(String(Number(value.toExponential(3).split('e')[0]))),
      );
    }
  };
}

/** Charts grow with the type of their page. */
function readScale() {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
}

/**
 * How high boxes can be so that their part of the page ends where a wide window does.
 * @param {NodeListOf<HTMLElement>} boxes
 * @returns {number | undefined} undefined without such boxes, and where there is too little room
 */
function findFreeHeight(boxes) {
  if (boxes.length === 0 || innerWidth <= innerHeight) return undefined;
  for (const box of boxes) box.style.height = '0';
  const part = /** @type {HTMLElement} */ (boxes[0].closest('section'));
  const margin = Number.parseFloat(getComputedStyle(document.body).paddingBottom);
  const free = innerHeight - margin - part.getBoundingClientRect().bottom - scrollY;
  return free < MIN_FILL_PX * readScale() ? undefined : free;
}

/** @param {string} name of a custom property of the style sheet */
function readColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** In the room's result, each lesson brings its figures along. */
function drawResult() {
  for (const charts of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-lesson]'))) {
    drawCharts(charts, JSON.parse(String(charts.dataset.lesson)));
  }
}

if (document.querySelector('[data-lesson]')) {
  drawResult();
  onLookChange(drawResult);
}
