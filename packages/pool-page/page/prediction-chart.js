import { formatQuantity } from '../universal/quantity.js';
import { createPlot, LOG_LABELS, logScale, styleAxis } from './plot.js';

/** @import uPlot from 'uplot' */
/** @import { WhatIf } from 'mongodb-pool-predictor' */
/** @import { Palette } from './palette.js' */

/**
 * @typedef {Pick<WhatIf, 'poolSizes' | 'recordedSize' | 'routes'> & { picked: number }} Shown picked: an index of
 *   poolSizes
 */

/** Tell the routes apart: the colour says that they are simulated. The legend has the same. */
const DASHES = [[], [9, 5], [2, 4], [12, 4, 2, 4]];

const DIAMOND_PX = 8;
/** The name of a pool size, and a gap. */
const NAME_PX = 40;

/**
 * Simulated times by pool size, and the measured ones at the recorded size.
 * @param {HTMLElement} box
 * @param {(left: number, right: number) => void} onLayout gets the ends of the axis of pool sizes, in px
 */
export function createPredictionChart(box, onLayout) {
  /** @type {uPlot | undefined} */
  let plot;
  /** @type {Palette | undefined} */
  let colors;
  /** @type {Shown | undefined} */
  let shown;

  function draw() {
    plot?.destroy();
    if (!shown || !colors) return;
    plot = createChart(box, shown, colors, onLayout);
    box.setAttribute('aria-label', describe(shown));
  }

  return {
    /** @param {Shown} next */
    show(next) {
      shown = next;
      draw();
    },
    /** @param {Palette} palette */
    setPalette(palette) {
      colors = palette;
      draw();
    },
  };
}

/** @param {Shown} shown */
function describe({ poolSizes, routes }) {
  const ends = Object.entries(routes).flatMap(([name, { predicted }]) => {
    const known = [...predicted.keys()].filter((index) => predicted[index].ms >= 0);
    const told = [...new Set([known[0], known.at(-1)])].flatMap((index) =>
      index === undefined ? [] : `${formatQuantity(predicted[index].ms, 'ms')} with ${poolSizes[index]}`,
    );
    return told.length > 0 ? `${name} ${told.join(', ')}` : [];
  });
  return `Simulated response times by pool size: ${ends.join('; ')}`;
}

/**
 * @param {HTMLElement} box
 * @param {Shown} shown
 * @param {Palette} palette
 * @param {(left: number, right: number) => void} onLayout
 */
function createChart(box, shown, palette, onLayout) {
  const { poolSizes, routes } = shown;
  const axis = styleAxis(box, palette);
  const indexes = poolSizes.map((_, index) => index);
  const mostMs = Math.max(
    ...Object.values(routes).flatMap(({ predicted, measuredMs }) => [
      ...predicted.map(({ ms, highMs = 0 }) => (Number.isNaN(ms) ? highMs : ms)),
      measuredMs,
    ]),
  );
  const lay = (/** @type {uPlot} */ { bbox: { left, width } }) =>
    onLayout(left / devicePixelRatio, (left + width) / devicePixelRatio);
  return createPlot(
    box,
    {
      padding: [8, 12, 0, 0],
      cursor: { show: false },
      scales: { x: { time: false, range: [0, Math.max(1, poolSizes.length - 1)] }, y: logScale(() => mostMs) },
      axes: [
        {
          ...axis,
          grid: { show: false },
          border: { show: true, stroke: palette.ink, width: 1 },
          // On a phone, not every size has room for its name.
          splits: ({ width }) => indexes.filter((at) => at % Math.ceil((indexes.length * NAME_PX) / width) === 0),
          values: (_, splits) => splits.map((at) => String(poolSizes[at])),
        },
        { ...axis, ...LOG_LABELS },
      ],
      series: [
        {},
        ...Object.keys(routes).map((_, index) => ({
          stroke: palette.predicted,
          width: 3,
          dash: DASHES[index % DASHES.length],
          points: { show: true, size: 7, fill: palette.predicted },
        })),
      ],
      hooks: {
        drawAxes: [lay, (each) => drawSizes(each, shown, palette)],
        draw: [(each) => drawHidden(each, shown, palette), (each) => drawMeasured(each, shown, palette)],
      },
    },
    // Shorter times are drawn at the bottom.
    [
      indexes,
      ...Object.values(routes).map(({ predicted }) =>
        predicted.map(({ ms }) => (Number.isNaN(ms) ? null : Math.max(1, ms))),
      ),
    ],
  );
}

/**
 * A line at the picked size, and a dashed line at the current size.
 * @param {uPlot} plot
 * @param {Shown} shown
 * @param {Palette} palette
 */
function drawSizes({ ctx: context, bbox, valToPos }, { picked, poolSizes, recordedSize }, palette) {
  context.save();
  context.strokeStyle = palette.ink;
  for (const [index, width, dash] of /** @type {const} */ ([
    [picked, 2, []],
    [poolSizes.indexOf(recordedSize), 1.5, [4, 4]],
  ])) {
    if (index === -1) continue;
    context.beginPath();
    context.setLineDash(dash.map((px) => px * devicePixelRatio));
    context.lineWidth = width * devicePixelRatio;
    context.moveTo(valToPos(index, 'x', true), bbox.top);
    context.lineTo(valToPos(index, 'x', true), bbox.top + bbox.height);
    context.stroke();
  }
  context.restore();
}

/**
 * The band of each figure that is hidden because of it.
 * @param {uPlot} plot
 * @param {Shown} shown
 * @param {Palette} palette
 */
function drawHidden({ ctx: context, valToPos }, { routes }, palette) {
  context.save();
  context.strokeStyle = palette.predicted;
  context.lineWidth = 2 * devicePixelRatio;
  for (const { predicted } of Object.values(routes))
    for (const [index, { ms, lowMs = NaN, highMs = NaN }] of predicted.entries()) {
      if (!Number.isNaN(ms) || Number.isNaN(highMs)) continue;
      const x = valToPos(index, 'x', true);
      context.beginPath();
      context.moveTo(x, valToPos(Math.max(1, lowMs), 'y', true));
      context.lineTo(x, valToPos(Math.max(1, highMs), 'y', true));
      context.stroke();
    }
  context.restore();
}

/** A diamond for each route. @param {uPlot} plot @param {Shown} shown @param {Palette} palette */
function drawMeasured({ ctx: context, valToPos }, { poolSizes, recordedSize, routes }, palette) {
  const index = poolSizes.indexOf(recordedSize);
  if (index === -1) return;
  const radius = DIAMOND_PX * devicePixelRatio;
  context.save();
  context.fillStyle = palette.ink;
  context.strokeStyle = palette.paper;
  context.lineWidth = 2 * devicePixelRatio;
  for (const { measuredMs } of Object.values(routes)) {
    const [x, y] = [valToPos(index, 'x', true), valToPos(Math.max(1, measuredMs), 'y', true)];
    context.beginPath();
    context.moveTo(x, y - radius);
    for (const [right, down] of [
      [radius, 0],
      [0, radius],
      [-radius, 0],
    ])
      context.lineTo(x + right, y + down);
    context.closePath();
    context.stroke();
    context.fill();
  }
  context.restore();
}
