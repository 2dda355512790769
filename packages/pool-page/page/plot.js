/** @import uPlot from 'uplot' */
/** @import { Palette } from './palette.js' */

/** Defined by the script /page/uplot.js. @type {typeof uPlot} */
const UPlot = Reflect.get(globalThis, 'uPlot');

/**
 * A chart that fills its box, and follows its size.
 * @param {HTMLElement} box
 * @param {Omit<uPlot.Options, 'width' | 'height'>} options
 * @param {uPlot.AlignedData} data
 * @returns {uPlot}
 */
export function createPlot(box, options, data) {
  const size = () => ({ width: box.clientWidth, height: box.clientHeight });
  const observer = new ResizeObserver(() => plot.setSize(size()));
  const { hooks = {}, ...others } = options;
  const plot = new UPlot(
    { ...others, ...size(), legend: { show: false }, hooks: { ...hooks, destroy: [() => observer.disconnect()] } },
    data,
    box,
  );
  observer.observe(box);
  return plot;
}

/** What all axes have in common. @param {HTMLElement} box @param {Palette} palette */
export function styleAxis(box, palette) {
  return {
    stroke: palette.muted,
    font: `14px ${getComputedStyle(box).fontFamily}`,
    grid: { stroke: palette.rule, width: 1 },
    ticks: { show: false },
    gap: 8,
  };
}

/**
 * It always spans 1 ms to 10 s, so that the eye learns where a Ferrari and a bus belong, and more only where there is
 * more.
 * @param {() => number} readMostMs
 */
export function logScale(readMostMs) {
  return {
    distr: /** @type {const} */ (3),
    range: () => /** @type {[number, number]} */ ([1, Math.max(10_000, 10 ** Math.ceil(Math.log10(readMostMs())))]),
  };
}

/** The labels of a logarithmic axis. */
export const LOG_LABELS = {
  splits: (/** @type {uPlot} */ plot) => {
    const powers = [];
    for (let value = 1; value <= Number(plot.scales.y.max); value *= 10) powers.push(value);
    return powers;
  },
  values: (/** @type {uPlot} */ plot, /** @type {number[]} */ splits) => splits.map(formatTick),
  size: 62,
};

/** @param {number} ms a round number */
export function formatTick(ms) {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}
