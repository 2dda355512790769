import { Chart, chooseSteps, isOnStep, onLookChange, readColor } from './chart-tools.js';

/** @import { Chart as ChartJs, Plugin } from 'chart.js' */
/** @import { ChartData, SeriesData } from '../chart-data.js' */

const NARROW = 560;
/** Below it, in px, the names of rows have several lines, of so many characters. */
const [NARROW_NAMES, NARROW_NAME] = [760, 15];
/** More rows than this move closer together. */
const MANY_ROWS = 12;
const LABEL_GAP = 7;
const DOT_RADIUS = 6;
/** Higher than a bar. Of marks in one place, each is shorter than the one behind it. */
const [TICK_PX, TICK_HEIGHT_PX, TICK_STEP_PX] = [4, 23, 5];
/** Solid, dashed, dotted and mixed, in the order of the legend. */
const DASHES = [[], [10, 6], [2, 4], [10, 4, 2, 4]];

/** @type {ChartJs[]} */
let charts = [];

/** Draws all charts. Colours and sizes come from the style sheet, so a change of theme, or printing, redraws. */
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
  const { kind, log, xTitle, categories, series: all } = JSON.parse(source.text);
  const series = all.filter(({ on }) => on === undefined);
  const isRows = kind !== 'line';
  const isNarrow = box.clientWidth < NARROW;
  const size = isNarrow ? 13 : 16;
  // Below a bar there is room for what was published, unless the next bar is there.
  const isBelow = isNarrow && series.length === 1;
  const look = { size, isDot: kind === 'dot', isBelow };
  Chart.defaults.font = { family: getComputedStyle(box).fontFamily, size };
  Chart.defaults.color = readColor('ink');
  const below = isBelow && findPublished(all, series[0]) ? 1.5 * size : 0;
  const between = (categories.length > MANY_ROWS ? 12 : 26) + below;
  box.style.height = isRows
    ? `${categories.length * (series.length * (isNarrow ? 21 : 25) + between) + 40}px`
    : `${isNarrow ? 320 : 460}px`;
  const valueAxis = {
    ...(log ? createLogAxis(series, isRows) : { type: /** @type {'linear'} */ ('linear'), beginAtZero: true }),
    // The longest bar reaches the edge: no room is lost to a round number beyond it.
    ...(isRows && { max: Math.max(...all.flatMap(({ values }) => values.map(Number))) }),
    grid: { color: readColor('rule') },
    border: { display: false },
    ticks: {
      color: readColor('muted'),
      maxTicksLimit: isNarrow ? 5 : 8,
      autoSkipPadding: 18,
      includeBounds: false,
      maxRotation: 0,
    },
  };
  const categoryAxis = {
    type: /** @type {const} */ ('category'),
    // The names of bars explain themselves. The points of a line need a title.
    title: { display: !isRows, text: xTitle, color: readColor('muted') },
    offset: true,
    // A grid line leads the eye from the name to the dot.
    grid: { display: kind === 'dot', color: readColor('rule') },
    border: { color: readColor('ink') },
    // Every row has its name. Along a line, names that do not fit are dropped.
    ticks: { color: readColor('ink'), autoSkip: !isRows, maxRotation: 0, autoSkipPadding: 14 },
  };
  return new Chart(canvas, {
    type: isRows ? 'bar' : 'line',
    data: {
      labels: box.clientWidth < NARROW_NAMES ? categories.map((lines) => lines.flatMap(breakWords)) : categories,
      datasets: isRows ? series.map((each) => createBars(each, kind === 'dot')) : series.map(createLine),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      indexAxis: isRows ? 'y' : 'x',
      // Room for the label of the longest bar.
      layout: {
        padding: { right: isRows ? measureLabels(canvas, all, series, look) + LABEL_GAP + 2 * DOT_RADIUS : 8 },
      },
      interaction: { mode: 'index', axis: isRows ? 'y' : 'x', intersect: false },
      scales: isRows ? { x: valueAxis, y: categoryAxis } : { x: categoryAxis, y: valueAxis },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            label({ datasetIndex, dataIndex }) {
              const { label, texts } = series[datasetIndex];
              return `${label}: ${texts[dataIndex]}`;
            },
            footer: ([{ dataIndex }]) =>
              all.flatMap(({ on, label, texts }) =>
                on === undefined || !texts[dataIndex] ? [] : `${label}: ${texts[dataIndex]}`,
              ),
          },
        },
      },
    },
    plugins: isRows ? [createTicks(all, series), createLabels(all, series, look)] : [],
  });
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {SeriesData[]} all
 * @param {SeriesData[]} series those of them that have bars
 * @param {{ size: number, isBelow: boolean }} look see createLabels
 * @returns {number} the width of the longest label, in px
 */
function measureLabels(canvas, all, series, { size, isBelow }) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.font = boldFont(size);
  return Math.max(
    ...series.flatMap((bars) => {
      const published = isBelow ? undefined : findPublished(all, bars);
      return bars.texts.map(
        (text, row) => context.measureText(`${text} ${namePublished(published, row)}`.trim()).width,
      );
    }),
  );
}

/** @param {number} size */
function boldFont(size) {
  return `700 ${size}px ${Chart.defaults.font.family}`;
}

/**
 * Labels powers of ten, and 2 and 5 times as much where there are few powers.
 * @param {SeriesData[]} series
 * @param {boolean} isRows a dot at the very edge would hide the axis
 */
function createLogAxis(series, isRows) {
  const values = series.flatMap((each) => each.values.filter((value) => Number(value) > 0).map(Number));
  const low = Math.min(...values);
  const steps = chooseSteps(low, Math.max(...values));
  return {
    type: /** @type {'linear'} */ (/** @type {string} */ ('logarithmic')),
    ...(isRows && { min: 10 ** Math.floor(Math.log10(low) - 0.1) }),
    afterBuildTicks(/** @type {import('chart.js').Scale} */ axis) {
      axis.ticks = axis.ticks.filter(({ value }) => isOnStep(value, steps));
    },
  };
}

/** Names of rows take at most half the width of a phone. @param {string} text @returns {string[]} */
function breakWords(text) {
  return text.split(' ').reduce((/** @type {string[]} */ lines, word) => {
    const line = [...lines.slice(-1), word].join(' ');
    return lines.length > 0 && line.length <= NARROW_NAME ? [...lines.slice(0, -1), line] : [...lines, word];
  }, []);
}

/** @param {SeriesData} series @param {boolean} isDot then createLabels draws only the end */
function createBars({ label, look, values }, isDot) {
  const color = isDot ? 'transparent' : readColor(look);
  const isHollow = look === 'published';
  return {
    label,
    data: values,
    backgroundColor: isHollow ? 'transparent' : color,
    borderColor: color,
    borderWidth: isHollow ? 1.5 : 0,
    borderSkipped: false,
    // A few milliseconds must be visible among seconds.
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
 * Writes each value at the end of its bar, and the published one after or below it. A dot has its own
 * label.
 * @param {SeriesData[]} all
 * @param {SeriesData[]} series those of them that have bars
 * @param {object} look
 * @param {number} look.size of the letters
 * @param {boolean} look.isDot
 * @param {boolean} look.isBelow whether what was published stands below its bar
 * @returns {Plugin}
 */
function createLabels(all, series, { size, isDot, isBelow }) {
  return {
    id: 'labels',
    afterDatasetsDraw(chart) {
      const { ctx, scales } = chart;
      ctx.save();
      ctx.textBaseline = 'middle';
      for (const [index, each] of series.entries()) {
        const { look, texts } = each;
        const published = findPublished(all, each);
        for (const [row, bar] of chart.getDatasetMeta(index).data.entries()) {
          if (isDot && texts[row]) drawDot(ctx, bar, look);
          const marks = all.flatMap(({ on, values }) =>
            on !== undefined && all[on] === each && values[row] !== null
              ? scales.x.getPixelForValue(Number(values[row])) + TICK_PX / 2
              : [],
          );
          const x = Math.max(texts[row] ? bar.x : scales.x.left, ...marks) + LABEL_GAP + (isDot ? DOT_RADIUS : 0);
          setWords(ctx, size, isMeasured(look));
          ctx.fillText(texts[row], x, bar.y + 1);
          const after = texts[row] ? x + ctx.measureText(`${texts[row]} `).width : x;
          setWords(ctx, size, false);
          if (isBelow) ctx.fillText(namePublished(published, row), scales.x.left + LABEL_GAP, bar.y + size + LABEL_GAP);
          else ctx.fillText(namePublished(published, row), after, bar.y + 1);
        }
      }
      ctx.restore();
    },
  };
}

/** @param {CanvasRenderingContext2D} ctx @param {number} size @param {boolean} isOurs */
function setWords(ctx, size, isOurs) {
  ctx.fillStyle = readColor(isOurs ? 'ink' : 'muted');
  ctx.font = isOurs ? boldFont(size) : boldFont(size).replace('700', '400');
}

/** The published series that is a mark on these bars. @param {SeriesData[]} all @param {SeriesData} bars */
function findPublished(all, bars) {
  return all.find(({ on, look }) => on !== undefined && all[on] === bars && look === 'published');
}

/** @param {SeriesData | undefined} published @param {number} row @returns {string} empty where nothing was published */
function namePublished(published, row) {
  return published?.texts[row] ? `published ${published.texts[row]}` : '';
}

/**
 * Marks what a bar is compared with.
 * @param {SeriesData[]} all
 * @param {SeriesData[]} bars those of them that have bars
 * @returns {Plugin}
 */
function createTicks(all, bars) {
  return {
    id: 'ticks',
    afterDatasetsDraw(chart) {
      const { ctx, scales } = chart;
      ctx.save();
      for (const [at, { on, look, values }] of all.entries()) {
        if (on === undefined) continue;
        const height = TICK_HEIGHT_PX + TICK_STEP_PX * all.slice(at + 1).filter((each) => each.on === on).length;
        for (const [row, { y }] of chart.getDatasetMeta(bars.indexOf(all[on])).data.entries()) {
          if (values[row] === null) continue;
          const x = scales.x.getPixelForValue(Number(values[row]));
          // A rim of paper keeps it visible on a bar of its own colour.
          for (const [color, rim] of /** @type {const} */ ([
            ['paper', 1.5],
            [look, 0],
          ])) {
            ctx.fillStyle = readColor(color);
            ctx.fillRect(x - TICK_PX / 2 - rim, y - height / 2 - rim, TICK_PX + 2 * rim, height + 2 * rim);
          }
        }
      }
      ctx.restore();
    },
  };
}

/** @param {CanvasRenderingContext2D} ctx @param {{ x: number, y: number }} center @param {string} look */
function drawDot(ctx, { x, y }, look) {
  ctx.beginPath();
  ctx.arc(x, y, DOT_RADIUS, 0, 2 * Math.PI);
  ctx.fillStyle = readColor(look === 'published' ? 'paper' : look);
  ctx.strokeStyle = readColor(look);
  ctx.lineWidth = 1.5;
  ctx.fill();
  ctx.stroke();
}

/** @param {string} look */
function isMeasured(look) {
  return look.startsWith('measured');
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
// What is folded has no width to draw in.
for (const details of document.querySelectorAll('details:has(.chart)')) details.addEventListener('toggle', drawAll);
onLookChange(drawAll);
for (const button of document.querySelectorAll('button')) offerDownload(button);
