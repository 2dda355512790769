import { LOG_AXIS } from './log-axis.js';
import { formatQuantity } from '../universal/quantity.js';

/** @import { Chart as ChartJs, ChartDataset, Plugin } from 'chart.js' */
/** @import { Palette } from './palette.js' */
/** @import { Prediction } from 'mongodb-pool-predictor' */
/** @import { RecentLoad } from './recent-load.js' */

/** @typedef {Prediction & { measured: Pick<RecentLoad, 'max' | 'p95Ms'>, picked: number }} Shown picked: an index of poolSizes */

/** Defined by the script /page/chart.js. @type {typeof import('chart.js').Chart} */
const Chart = Reflect.get(globalThis, 'Chart');

const LINES = /** @type {const} */ ([
  { route: '/fast', color: 'measured-2' }, { route: '/slow', color: 'measured-1' },
]);

/**
 * Predicted p95 by pool size, and the measured p95 at the current size.
 * @param {HTMLCanvasElement} canvas
 * @param {(left: number, right: number) => void} onLayout gets the ends of the axis of pool sizes, in px
 */
export function createPredictionChart(canvas, onLayout) {
  /** @type {ChartJs | undefined} */
  let chart;
  /** @type {Shown | undefined} */
  let shown;

  /** @param {Shown} next */
  function show(next) {
    shown = next;
    if (!chart) return;
    const { poolSizes, p95Ms, measured } = next;
    chart.data.labels = poolSizes;
    for (const [index, { route }] of LINES.entries()) {
      chart.data.datasets[2 * index].data = p95Ms[route] ?? [];
      chart.data.datasets[2 * index + 1].data = (
        poolSizes.map((size) => (size === measured.max ? measured.p95Ms[route] ?? null : null)));
    }
    canvas.setAttribute('aria-label', describe(next));
    chart.update('none');
  }

  return {
    show,
    /** @param {Palette} palette */
    setPalette(palette) {
      chart?.destroy();
      chart = createChart(canvas, palette, [drawSizes(palette, () => shown), {
        id: 'layout',
        afterLayout: ({ chartArea: { left, right } }) => onLayout(left, right),
      }]);
      if (shown) show(shown);
    },
  };
}

/** @param {Shown} shown */
function describe({ poolSizes, p95Ms }) {
  const ends = Object.entries(p95Ms).map(([route, times]) => (
    `${route} ${formatQuantity(times[0], 'ms')} with ${poolSizes[0]}, `
    + `${formatQuantity(Number(times.at(-1)), 'ms')} with ${poolSizes.at(-1)}`));
  return `Predicted p95 by pool size: ${ends.join('; ')}`;
}

/** @param {HTMLCanvasElement} canvas @param {Palette} palette @param {Plugin[]} plugins @returns {ChartJs} */
function createChart(canvas, palette, plugins) {
  return new Chart(canvas, {
    type: 'line',
    data: {
      labels: [],
      datasets: LINES.flatMap(({ route, color }) => createDatasets(route, palette[color], palette)),
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
 * @param {string} route
 * @param {string} color
 * @param {Palette} palette
 * @returns {ChartDataset<'line'>[]} the predicted line, and the measured point
 */
function createDatasets(route, color, palette) {
  return [{
    label: `${route} predicted`, data: [], order: 1, borderColor: color, backgroundColor: color,
    borderWidth: 3, pointRadius: 3,
  }, {
    label: `${route} measured`, data: [], order: 0, showLine: false, backgroundColor: color,
    pointStyle: 'rectRot', pointRadius: 10, pointHoverRadius: 10,
    pointBorderColor: palette.ink, pointBorderWidth: 2.5,
  }];
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
