import { COUNT, DELAY, POOL_SIZES } from '../../harness/lab-options.js';
import { measureVariant, prepareSaturation } from './measure-variant.js';
import { saturationView } from './saturation-view.js';
import { planSaturation } from './plan-saturation.js';

/** @import { Lab } from '../../harness/run-lab.js' */
/** @import { Shared } from './measure-variant.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */
/** @import { SaturationOptions, SaturationPlan, SaturationSettings } from './plan-saturation.js' */

/** From 2 on, memory for what waits would be the only thing that is measured. */
const MAX_LOAD = 2;

/**
 * When the server is full, and not the pool: how many connections are too many for it?
 * @type {Lab<SaturationOptions, SaturationSettings, SaturationFigures, SaturationPlan, Shared>}
 */
export const saturation = {
  name: 'saturation',
  ...saturationView,
  summary: "what a larger pool does when the server's cores are the bottleneck",
  repeat: {
    default: 5,
    about:
      'how many times to compare the best size with --reference; the repeats are interleaved, everything else is ' +
      'measured once',
  },
  options: {
    poolSizes: {
      ...POOL_SIZES,
      about: 'pool sizes in the closed loop',
      default: [1, 2, 4, 8, 16, 32, 64, 100, 128, 300],
    },
    reference: { ...COUNT, about: 'the large pool to compare the best one with', default: 100 },
    loads: {
      value: 'list',
      parse: parseLoads,
      default: ['closed', 0.5, 0.8, 1.1],
      about: 'closed: a closed loop; a number: open arrivals, as a share of what the server can answer',
    },
    openSizes: { ...POOL_SIZES, about: 'pool sizes under open arrivals', default: [4, 100, 300] },
    callers: { ...COUNT, about: 'callers of the closed loop', default: 64 },
    share: { value: 'share', about: 'share of heavy queries; the others are cheap', parse: parseShare, default: 0.25 },
    heavyMs: { ...DELAY, about: 'how long a heavy query takes alone', default: 10 },
    measureMs: { ...DELAY, about: 'how long to measure each variant', default: 800 },
  },
  plan: planSaturation,
  prepare: prepareSaturation,
  measure: measureVariant,
};

/** @param {string} text @returns {('closed' | number)[]} @throws {Error} saying what is allowed */
function parseLoads(text) {
  return text.split(',').map((part) => {
    const load = part.trim();
    if (load === 'closed') return load;
    const share = /^\d*\.?\d+$/.test(load) ? Number(load) : NaN;
    if (share > 0 && share < MAX_LOAD) return share;
    throw new Error(
      `"${load}" is neither closed nor a number above 0 and below ${MAX_LOAD}; several are written closed,0.5,1.1.`,
    );
  });
}

/** @param {string} text @returns {number} @throws {Error} saying what is allowed */
function parseShare(text) {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (share > 0 && share <= 1) return share;
  throw new Error('It must be a number above 0 and at most 1.');
}
