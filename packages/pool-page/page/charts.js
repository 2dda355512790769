import { latestOf, listPoints, SPECS } from './chart-specs.js';
import { LOG_AXIS } from './log-axis.js';

/** @import { Chart as ChartJs, ChartDataset } from 'chart.js' */
/** @import { ChartSeries, Spec } from './chart-specs.js' */
/** @import { Palette } from './palette.js' */
/** @import { State } from './state.js' */

/** Defined by the script /page/chart.js. @type {typeof import('chart.js').Chart} */
const Chart = Reflect.get(globalThis, 'Chart');

const TICKS_S = [-120, -90, -60, -30, 0];

const BAR_LOOK = { barThickness: /** @type {const} */ ('flex'), maxBarThickness: 8, barPercentage: 0.9 };

/**
 * @typedef {object} ChartFigure a chart and its legend
 * @property {Spec} spec
 * @property {HTMLCanvasElement} canvas
 * @property {string} title
 * @property {HTMLElement} legend
 * @property {ChartSeries[]} series
 * @property {HTMLDataElement[]} latest one for each series
 * @property {ChartJs} [chart]
 */

/** The charts of the last two minutes. */
export function createCharts() {
  const figures = SPECS.map((spec) => {
    const element = /** @type {HTMLElement} */ (document.getElementById(spec.id));
    return /** @type {ChartFigure} */ ({
      spec,
      canvas: element.querySelector('canvas'),
      title: element.querySelector('h3')?.textContent,
      legend: element.querySelector('.legend'),
    });
  });
  /** @type {Palette | undefined} */
  let colors;
  /** @type {Pick<State, 'seconds' | 'routes'>} */
  let shown = { seconds: [], routes: [] };

  function draw() {
    for (const figure of figures) {
      figure.series = figure.spec.listSeries(shown.routes);
      figure.latest = drawLegend(figure.legend, figure.series, figure.spec);
      figure.chart?.destroy();
      if (colors) figure.chart = createChart(figure.spec, figure.series, figure.canvas, colors);
    }
    update();
  }

  function update() {
    for (const { spec, series, canvas, title, latest, chart } of figures) {
      const texts = series.map(({ label, value }, line) => {
        const points = listPoints(shown.seconds, value);
        if (chart) chart.data.datasets[line].data = /** @type {any} */ (points);
        const last = latestOf(points);
        latest[line].value = last === null ? '' : String(last);
        latest[line].textContent = last === null ? '' : spec.format(last);
        return `${label} ${latest[line].textContent || 'none'}`;
      });
      canvas.setAttribute('aria-label', `${title}, latest: ${texts.join(', ') || 'no requests'}`);
      chart?.update('none');
    }
  }

  draw();
  return {
    /** @param {Pick<State, 'seconds' | 'routes'>} next */
    show(next) {
      const isSame = JSON.stringify(next.routes) === JSON.stringify(shown.routes);
      shown = next;
      if (isSame) update();
      else draw();
    },
    /** @param {Palette} palette */
    setPalette(palette) {
      colors = palette;
      draw();
    },
  };
}

/** @param {HTMLElement} legend @param {ChartSeries[]} series @param {Spec} spec @returns {HTMLDataElement[]} */
function drawLegend(legend, series, { kind }) {
  legend.classList.toggle('lines', kind === 'line');
  const items = series.map(({ label, color, thin }) => {
    const item = document.createElement('li');
    const latest = document.createElement('data');
    // Only the report calls the ink's look exact.
    item.className = `${color === 'ink' ? 'exact' : color}${thin ? ' thin' : ''}`;
    latest.className = 'latest';
    item.append(`${label} `, latest);
    return { item, latest };
  });
  legend.replaceChildren(...items.map(({ item }) => item));
  return items.map(({ latest }) => latest);
}

/**
 * @param {Spec} spec
 * @param {ChartSeries[]} series
 * @param {HTMLCanvasElement} canvas
 * @param {Palette} palette
 * @returns {ChartJs}
 */
function createChart({ kind, log = false, min, format }, series, canvas, palette) {
  const isBar = kind === 'bar';
  Chart.defaults.font = { family: getComputedStyle(canvas).fontFamily, size: 14 };
  Chart.defaults.color = palette.muted;
  return new Chart(canvas, {
    type: kind,
    data: {
      datasets: series.map(
        (each) =>
          /** @type {ChartDataset} */ ({
            label: each.label,
            data: [],
            borderColor: palette[each.color],
            backgroundColor: palette[each.color],
            // Thick lines are drawn last, on top.
            order: each.thin ? 1 : 0,
            ...(isBar ? BAR_LOOK : lineLook(each, log)),
          }),
      ),
    },
    options: {
      animation: false,
      parsing: false,
      normalized: true,
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: {
          type: 'linear',
          min: TICKS_S[0],
          // Room for the full width of the last bar.
          max: isBar ? 0.5 : 0,
          stacked: isBar,
          offset: false,
          grid: { display: false },
          border: { color: palette.ink },
          afterBuildTicks: (scale) => {
            scale.ticks = TICKS_S.map((value) => ({ value }));
          },
          ticks: { maxRotation: 0, callback: (value) => (value === 0 ? 'now' : `${value} s`) },
        },
        y: {
          grid: { color: palette.rule },
          border: { display: false },
          ...(log ? LOG_AXIS : countAxis(isBar)),
          ...(min !== undefined && { min }),
        },
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: ([item]) => (item.parsed.x === 0 ? 'now' : `${-Number(item.parsed.x)} s ago`),
            label: ({ dataset, parsed }) => `${dataset.label}: ${format(Number(parsed.y))}`,
          },
        },
      },
    },
  });
}

/** @param {boolean} stacked */
function countAxis(stacked) {
  return {
    type: /** @type {const} */ ('linear'),
    stacked,
    beginAtZero: true,
    suggestedMax: 4,
    ticks: { precision: 0, maxTicksLimit: 6 },
  };
}

/** @param {ChartSeries} series @param {boolean} dots */
function lineLook({ thin = false }, dots) {
  return {
    borderWidth: thin ? 1.5 : 3,
    borderDash: thin ? [4, 3] : [],
    // A second without neighbours has no line, so it gets a dot.
    pointRadius: dots && !thin ? 1.8 : 0,
    pointHitRadius: 6,
    // The line crosses gaps of a few seconds.
    spanGaps: 5,
  };
}
