/** @import { Chart as ChartJs, Plugin } from 'chart.js' */
/** @import { ChartData, SeriesData } from '../chart-data.js' */

const NARROW = 560;
const LABEL_GAP = 7;
/** Solid, dashed, dotted and mixed, in the order of the legend. */
const DASHES = [[], [10, 6], [2, 4], [10, 4, 2, 4]];

/** The library's own script has put it there. @type {typeof import('chart.js').Chart} */
const Chart = Reflect.get(globalThis, 'Chart');

/** @type {ChartJs[]} */
let charts = [];

/** Colours and sizes come from the style sheet, so a change of theme, or printing, draws anew. */
function drawAll() {
  for (const chart of charts) chart.destroy();
  charts = [...document.querySelectorAll('figure.chart')].map(draw);
}

/** @param {Element} figure */
function draw(figure) {
  const box = /** @type {HTMLElement} */ (figure.querySelector('.canvas'));
  const canvas = /** @type {HTMLCanvasElement} */ (box.querySelector('canvas'));
  const source = /** @type {HTMLScriptElement} */ (figure.querySelector('script'));
  /** @type {ChartData} */
  const { kind, log, xTitle, categories, series } = JSON.parse(source.text);
  const isBar = kind === 'bar';
  const isNarrow = box.clientWidth < NARROW;
  const size = isNarrow ? 13 : 16;
  const longestText = Math.max(...series.flatMap(({ texts }) => texts.map((text) => text.length)));
  Chart.defaults.font = { family: getComputedStyle(box).fontFamily, size };
  Chart.defaults.color = readColor('ink');
  box.style.height = isBar
    ? `${categories.length * (series.length * (isNarrow ? 21 : 25) + 26) + 40}px`
    : `${isNarrow ? 320 : 460}px`;
  const valueAxis = {
    type: /** @type {'linear'} */ (log ? 'logarithmic' : 'linear'),
    beginAtZero: true,
    // The longest bar reaches the edge, and a round number beyond it takes no width from the others.
    ...(isBar && !log && { max: Math.max(...series.flatMap(({ values }) => values.map(Number))) }),
    grid: { color: readColor('rule') },
    border: { display: false },
    ticks: { color: readColor('muted'), maxTicksLimit: 8, autoSkipPadding: 18, includeBounds: false },
  };
  const categoryAxis = {
    type: /** @type {const} */ ('category'),
    // Bars carry their categories in words beside them; the points of a line need to be told what they count.
    title: { display: !isBar, text: xTitle, color: readColor('muted') },
    offset: true,
    grid: { display: false },
    border: { color: readColor('ink') },
  };
  return new Chart(canvas, {
    type: kind,
    data: { labels: categories, datasets: isBar ? series.map(createBars) : series.map(createLine) },
    options: {
      animation: false,
      maintainAspectRatio: false,
      indexAxis: isBar ? 'y' : 'x',
      // Room for the words at the end of the longest bar: bold figures are about 0.6 of their height wide.
      layout: { padding: { right: isBar ? longestText * size * 0.65 + LABEL_GAP : 8 } },
      interaction: { mode: 'index', axis: isBar ? 'y' : 'x', intersect: false },
      scales: isBar ? { x: valueAxis, y: categoryAxis } : { x: categoryAxis, y: valueAxis },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            label({ datasetIndex, dataIndex }) {
              const { label, texts } = series[datasetIndex];
              return `${label}: ${texts[dataIndex]}`;
            },
          },
        },
      },
    },
    plugins: isBar ? [createBarLabels(series, size)] : [],
  });
}

/** @param {SeriesData} series */
function createBars({ label, look, values }) {
  const color = readColor(look);
  const isHollow = look === 'published';
  return {
    label,
    data: values,
    backgroundColor: isHollow ? 'transparent' : color,
    borderColor: color,
    borderWidth: isHollow ? 1.5 : 0,
    borderSkipped: false,
    // A few milliseconds among seconds must still be seen to be there.
    minBarLength: 3,
    maxBarThickness: isMeasured(look) ? 22 : 9,
    categoryPercentage: 0.8,
    barPercentage: 0.94,
  };
}

/** @param {SeriesData} series */
function createLine({ label, look, dash, values }) {
  const color = readColor(look);
  return {
    label,
    data: values,
    borderColor: color,
    backgroundColor: color,
    borderWidth: isMeasured(look) ? 3.5 : 1.5,
    borderDash: DASHES[dash],
    pointRadius: isMeasured(look) ? 4.5 : 2,
    spanGaps: true,
  };
}

/**
 * Each value in words at the end of its bar, so that nobody has to look it up on the axis.
 * @param {SeriesData[]} series
 * @param {number} size of the letters
 * @returns {Plugin}
 */
function createBarLabels(series, size) {
  return {
    id: 'barLabels',
    afterDatasetsDraw(chart) {
      const { ctx } = chart;
      ctx.save();
      ctx.textBaseline = 'middle';
      for (const [index, { look, texts }] of series.entries()) {
        ctx.fillStyle = readColor(isMeasured(look) ? 'ink' : 'muted');
        ctx.font = `${isMeasured(look) ? 700 : 400} ${size}px ${Chart.defaults.font.family}`;
        for (const [row, bar] of chart.getDatasetMeta(index).data.entries()) {
          ctx.fillText(texts[row], bar.x + LABEL_GAP, bar.y + 1);
        }
      }
      ctx.restore();
    },
  };
}

/** @param {string} look */
function isMeasured(look) {
  return look.startsWith('measured');
}

/** @param {string} name of a custom property of the style sheet */
function readColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** @param {HTMLButtonElement} button */
function offerDownload(button) {
  const source = document.getElementById(button.dataset.source ?? '');
  button.hidden = false;
  button.addEventListener('click', () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([source?.textContent ?? ''], { type: 'application/json' }));
    link.download = button.dataset.file ?? '';
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

drawAll();
for (const query of ['(prefers-color-scheme: dark)', 'print']) {
  matchMedia(query).addEventListener('change', drawAll);
}
for (const button of document.querySelectorAll('button')) offerDownload(button);
