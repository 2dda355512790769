import { LOG_AXIS } from './log-axis.js';
import { formatQuantity } from '../universal/quantity.js';

/** @import { Chart as ChartJs, ChartDataset, Plugin } from 'chart.js' */
/** @import { ChartRoute } from './chart-routes.js' */
/** @import { Palette } from './palette.js' */
/** @import { Prediction } from 'mongodb-pool-predictor' */
/** @import { RecentLoad } from './recent-load.js' */

/**
 * @typedef {object} More
 * @property {Pick<RecentLoad, 'max' | 'p95Ms'>} measured
 * @property {number} picked an index of poolSizes
 * @property {ChartRoute[]} routes with a line each
 *
 * @typedef {Prediction & More} Shown
 */

/** Defined by the script /page/chart.js. @type {typeof import('chart.js').Chart} */
const Chart = Reflect.get(globalThis, 'Chart');

/**
 * Predicted p95 by pool size, and the measured p95 at the current size.
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
    chart.data.datasets = next.routes.flatMap((route) => createDatasets(route, next, colors));
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
function describe({ poolSizes, p95Ms, routes }) {
  const ends = routes.map(
    ({ label }) =>
      `${label} ${formatQuantity(p95Ms[label][0], 'ms')} with ${poolSizes[0]}, ` +
      `${formatQuantity(Number(p95Ms[label].at(-1)), 'ms')} with ${poolSizes.at(-1)}`,
  );
  return `Predicted p95 by pool size: ${ends.join('; ')}`;
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
 * @param {ChartRoute} route
 * @param {Shown} shown
 * @param {Palette} palette
 * @returns {ChartDataset[]} the predicted line, and the measured point
 */
function createDatasets({ label, color: name }, { poolSizes, p95Ms, measured }, palette) {
  const color = palette[name];
  return [
    {
      label: `${label} predicted`,
      data: p95Ms[label],
      order: 1,
      borderColor: color,
      backgroundColor: color,
      borderWidth: 3,
      pointRadius: 3,
    },
    {
      label: `${label} measured`,
      order: 0,
      showLine: false,
      backgroundColor: color,
      data: poolSizes.map((size) => (size === measured.max ? (measured.p95Ms[label] ?? null) : null)),
      pointStyle: 'rectRot',
      pointRadius: 10,
      pointHoverRadius: 10,
      pointBorderColor: palette.ink,
      pointBorderWidth: 2.5,
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
      const current = shown.poolSizes.indexOf(shown.measured.max);
      if (current !== -1) draw(current, 1.5, [4, 4]);
      context.restore();
    },
  };
}
