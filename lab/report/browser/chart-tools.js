// What the charts of reports and of a class share. Documents contain it together with the script that draws.

/** The global of the library's script. @type {typeof import('chart.js').Chart} */
export const Chart = Reflect.get(globalThis, 'Chart');

/** Up to this ratio of its ends, a logarithmic axis has room for 2 and 5 times a power of ten. */
const MAX_FINE_RATIO = 300;

/**
 * The ticks of a logarithmic axis: multiples of its powers of ten.
 * @param {number} low
 * @param {number} high
 */
export function chooseSteps(low, high) {
  return high / low > MAX_FINE_RATIO ? [1] : [1, 2, 5];
}

/** @param {number} value @param {number[]} steps of its axis */
export function isOnStep(value, steps) {
  return steps.includes(Number(value.toExponential(3).split('e')[0]));
}

/** @param {string} name of a custom property of the style sheet */
export function readColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Draws again with other colours after a change of theme, and for paper. @param {() => void} draw */
export function onLookChange(draw) {
  for (const query of ['(prefers-color-scheme: dark)', 'print']) matchMedia(query).addEventListener('change', draw);
}
