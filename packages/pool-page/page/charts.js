import { findLatest, listPoints, SPECS } from './chart-specs.js';
import { createPlot, LOG_LABELS, logScale, styleAxis } from './plot.js';
import { drawDots, FAILED_ROW_PX, findMostMs } from './request-dots.js';

/** @import uPlot from 'uplot' */
/** @import { Second } from '../universal/feed-shapes.js' */
/** @import { ChartSeries, Spec } from './chart-specs.js' */
/** @import { Palette } from './palette.js' */
/** @import { State } from './state.js' */

const TICKS_S = [-120, -90, -60, -30, 0];
const MAX_BAR_PX = 8;

/** @typedef {Pick<State, 'seconds' | 'routes' | 'dots'>} ChartState */

/**
 * @typedef {object} ChartFigure a chart and its legend
 * @property {Spec} spec
 * @property {HTMLElement} box
 * @property {string} title
 * @property {HTMLElement} legend
 * @property {ChartSeries[]} series
 * @property {HTMLDataElement[]} values one for each series: of the second under the pointer, or the latest
 * @property {(number | null)[][]} columns one for each series
 * @property {Second[]} seconds
 * @property {uPlot} [plot]
 */

/** The charts of the last two minutes. */
export function createCharts() {
  const figures = SPECS.map((spec) => {
    const element = /** @type {HTMLElement} */ (document.getElementById(spec.id));
    return /** @type {ChartFigure} */ ({
      spec,
      box: element.querySelector('.canvas'),
      title: element.querySelector('h3')?.textContent,
      legend: element.querySelector('.legend'),
      series: [],
      values: [],
      columns: [],
      seconds: [],
    });
  });
  /** @type {Palette | undefined} */
  let colors;
  /** @type {ChartState} */
  let shown = { seconds: [], routes: [], dots: [] };

  function draw() {
    for (const figure of figures) {
      figure.series = figure.spec.listSeries(shown.routes);
      figure.values = drawLegend(figure.legend, figure.series, figure.spec);
      figure.plot?.destroy();
      if (colors) figure.plot = createChart(figure, colors, () => shown);
    }
    update();
  }

  function update() {
    for (const figure of figures) {
      const { series, box, title, plot } = figure;
      const points = series.map(({ value }) => listPoints(shown.seconds, value));
      figure.columns = points.map((line) => line.map(({ y }) => y));
      figure.seconds = shown.seconds;
      plot?.setData(/** @type {uPlot.AlignedData} */ ([(points[0] ?? []).map(({ x }) => x), ...figure.columns]));
      writeValues(figure, plot?.cursor.idx);
      const texts = series.map(({ label }, line) => `${label} ${describeValue(figure, line) || 'none'}`);
      box.setAttribute('aria-label', `${title}, latest: ${texts.join(', ') || 'no requests'}`);
    }
  }

  draw();
  return {
    /** @param {ChartState} next */
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

/** @param {ChartFigure} figure @param {number | null} [index] of a second; default: the latest with a value */
function writeValues(figure, index) {
  for (const [line, element] of figure.values.entries()) {
    const text = describeValue(figure, line, index);
    element.value = text && String(figure.columns[line][index ?? findLatest(figure.columns[line])]);
    element.textContent = text;
  }
}

/**
 * @param {ChartFigure} figure
 * @param {number} line
 * @param {number | null} [index] as above
 * @returns {string} empty without a value
 */
function describeValue({ spec, series, columns, seconds }, line, index) {
  const at = index ?? findLatest(columns[line]);
  const value = columns[line][at] ?? null;
  if (value === null) return '';
  return `${series[line].figure?.(seconds[at]) ?? ''} ${spec.format(value)}`.trim();
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

/** @param {ChartFigure} figure @param {Palette} palette @param {() => ChartState} read @returns {uPlot} */
function createChart(figure, palette, read) {
  const { spec, box, series } = figure;
  const axis = styleAxis(box, palette);
  const isDots = spec.kind === 'dots';
  const draws = {
    dots: (/** @type {uPlot} */ plot) => {
      const { dots, seconds, routes } = read();
      drawDots(plot, dots, { nowMs: seconds.at(-1)?.atMs ?? 0, routes, palette });
    },
    bar: (/** @type {uPlot} */ plot) => drawBars(plot, figure, palette),
    line: () => {},
  };
  return createPlot(
    box,
    {
      padding: [isDots ? FAILED_ROW_PX : 8, 18, 0, 0],
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: {
        // Room for the full width of the last bar.
        x: { time: false, range: [TICKS_S[0] - 0.5, 0.5] },
        y: isDots ? logScale(() => findMostMs(read().dots)) : { range: () => [0, findTop(figure)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          border: { show: true, stroke: palette.ink, width: 1 },
          splits: () => TICKS_S,
          values: (plot, splits) => splits.map((value) => (value === 0 ? 'now' : `${value} s`)),
        },
        { ...axis, ...(isDots ? LOG_LABELS : { size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000] }) },
      ],
      series: [
        {},
        ...series.map(({ color, thin = false }) => ({
          stroke: palette[color],
          width: thin ? 1.5 : 3,
          dash: thin ? [4, 3] : [],
          points: { show: false },
          // Others are drawn below.
          ...(spec.kind !== 'line' && { paths: () => null }),
        })),
      ],
      hooks: { draw: [draws[spec.kind]], setCursor: [(plot) => writeValues(figure, plot.cursor.idx)] },
    },
    /** @type {uPlot.AlignedData} */ ([[], ...series.map(() => [])]),
  );
}

/** The end of the axis of counts. Bars stand on one another. @param {ChartFigure} figure */
function findTop({ spec, columns }) {
  const seconds = columns[0]?.map((_, index) => columns.map((column) => column[index] ?? 0)) ?? [];
  const tops = seconds.map((values) =>
    spec.kind === 'bar' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values),
  );
  return Math.max(4, ...tops) * 1.05;
}

/** @param {uPlot} plot @param {ChartFigure} figure @param {Palette} palette */
function drawBars(plot, { series, columns }, palette) {
  const { ctx: context, bbox } = plot;
  const width = Math.min(MAX_BAR_PX * devicePixelRatio, (0.8 * bbox.width) / -TICKS_S[0]);
  for (const [index, x] of plot.data[0].entries()) {
    if (x < TICKS_S[0]) continue;
    let below = 0;
    for (const [line, column] of columns.entries()) {
      const count = column[index] ?? 0;
      const [top, bottom] = [below + count, below].map((value) => plot.valToPos(value, 'y', true));
      context.fillStyle = palette[series[line].color];
      context.fillRect(plot.valToPos(x, 'x', true) - width / 2, top, width, bottom - top);
      below += count;
    }
  }
}
