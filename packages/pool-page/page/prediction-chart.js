import { LOG_AXIS } from './log-axis.js';
import { formatQuantity } from '../universal/quantity.js';

/** @import { Chart as ChartJs, ChartDataset, Plugin } from 'chart.js' */
/** @import { WhatIf, WhatIfRoute } from 'mongodb-pool-predictor' */
/** @import { Palette } from './palette.js' */

/** @typedef {Pick<WhatIf, 'poolSizes' | 'recordedSize' | 'routes'> & { picked: number }} Shown picked: an index of poolSizes */

/** Tell the routes apart: the colour says that they are simulated. The legend has the same. */
const DASHES = [[], [9, 5], [2, 4], [12, 4, 2, 4]];

/** Defined by the script /page/chart.js. @type {typeof import('chart.js').Chart} */
const Chart = Reflect.get(globalThis, 'Chart');

/**
 * Simulated times by pool size, and the measured ones at the recorded size.
 * @param {HTMLCanvasElement} canvas
 * @param {(left: number, right: number) => void} onLayout gets the ends of the axis of pool sizes, in px
 */
export function createPredictionChart(canvas, onLayout) {
  /** @type {ChartJs | undefined} */
  let chart;
  /** @type {Palette} */
  let colors;
  /** @type {Shown | undefined} */
  let shown;

  /** @param {Shown} next */
  function show(next) {
    shown = next;
    if (!chart) return;
    chart.data.labels = next.poolSizes;
    chart.data.datasets = Object.entries(next.routes).flatMap(([name, route], index) =>
      createDatasets(name, route, index, next, colors),
    );
    canvas.setAttribute('aria-label', describe(next));
    chart.update('none');
  }

  return {
    show,
    /** @param {Palette} palette */
    setPalette(palette) {
      colors = palette;
      chart?.destroy();
      chart = createChart(canvas, palette, [
        drawSizes(palette, () => shown),
        {
          id: 'layout',
          afterLayout: ({ chartArea: { left, right } }) => onLayout(left, right),
        },
      ]);
      if (shown) show(shown);
    },
  };
}

/** @param {Shown} shown */
function describe({ poolSizes, routes }) {
  const ends = Object.entries(routes).map(
    ([name, { predictedMs }]) =>
      `${name} ${formatQuantity(predictedMs[0], 'ms')} with ${poolSizes[0]}, ` +
      `${formatQuantity(Number(predictedMs.at(-1)), 'ms')} with ${poolSizes.at(-1)}`,
  );
  return `Simulated response times by pool size: ${ends.join('; ')}`;
}

/** @param {HTMLCanvasElement} canvas @param {Palette} palette @param {Plugin[]} plugins @returns {ChartJs} */
function createChart(canvas, palette, plugins) {
  return new Chart(canvas, {
    type: 'line',
    data: {
      labels: [],
      datasets: [],
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
      layout: { padding: { top: 4, right: 12 } },
      scales: {
        x: {
          grid: { display: false },
          border: { color: palette.ink },
          ticks: { maxRotation: 0 },
        },
        y: { grid: { color: palette.rule }, border: { display: false }, ...LOG_AXIS },
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: ([{ label }]) => `Pool size ${label}`,
            label: ({ dataset, parsed }) => `${dataset.label}: ${formatQuantity(Number(parsed.y), 'ms')}`,
          },
        },
      },
    },
    plugins,
  });
}

/**
 * @param {string} name
 * @param {WhatIfRoute} route
 * @param {number} index
 * @param {Shown} shown
 * @param {Palette} palette
 * @returns {ChartDataset[]} the simulated line, and the measured point
 */
function createDatasets(name, { predictedMs, measuredMs }, index, { poolSizes, recordedSize }, palette) {
  return [
    {
      label: `${name} simulated`,
      data: predictedMs,
      order: 1,
      borderColor: palette.predicted,
      backgroundColor: palette.predicted,
      borderDash: DASHES[index % DASHES.length],
      borderWidth: 3,
      pointRadius: 3,
    },
    {
      label: `${name} measured`,
      order: 0,
      showLine: false,
      backgroundColor: palette.ink,
      data: poolSizes.map((size) => (size === recordedSize ? measuredMs : null)),
      pointStyle: 'rectRot',
      pointRadius: 8,
      pointHoverRadius: 10,
      pointBorderColor: palette.paper,
      pointBorderWidth: 2,
    },
  ];
}

/**
 * A line at the picked size, and a dashed line at the current size.
 * @param {Palette} palette
 * @param {() => Shown | undefined} read
 * @returns {Plugin}
 */
function drawSizes(palette, read) {
  return {
    id: 'sizes',
    beforeDatasetsDraw({ ctx: context, chartArea: { top, bottom }, scales: { x } }) {
      const shown = read();
      if (!shown) return;
      /** @param {number} index @param {number} width @param {number[]} dash */
      const draw = (index, width, dash) => {
        context.beginPath();
        context.moveTo(x.getPixelForValue(index), top);
        context.lineTo(x.getPixelForValue(index), bottom);
        context.setLineDash(dash);
        context.lineWidth = width;
        context.stroke();
      };
      context.save();
      context.strokeStyle = palette.ink;
      draw(shown.picked, 2, []);
      const current = shown.poolSizes.indexOf(shown.recordedSize);
      if (current !== -1) draw(current, 1.5, [4, 4]);
      context.restore();
    },
  };
}
