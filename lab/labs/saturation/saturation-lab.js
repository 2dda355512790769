import { COUNT, DELAY, POOL_SIZES } from '../../harness/lab-options.js';
import { measureVariant, prepareSaturation } from './measure-variant.js';
import { saturationView } from './saturation-view.js';

/** @import { Lab, Plan, PlannedVariant } from '../../harness/run-lab.js' */
/** @import { Shared } from './measure-variant.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */

/**
 * @typedef {object} SaturationOptions
 * @property {number[]} poolSizes ascending
 * @property {number} reference the large pool that the best one is compared with
 * @property {('closed' | number)[]} loads a closed loop, or open arrivals as a share of what the server can answer
 * @property {number[]} openSizes pool sizes under open arrivals, ascending
 * @property {number} callers of the closed loop
 * @property {number} share of heavy queries
 * @property {number} heavyMs how long a heavy query takes alone
 * @property {number} measureMs
 *
 * @typedef {'size' | 'best' | 'reference'} VariantRole one size of the survey, or one of the two compared
 *
 * @typedef {object} SaturationSettings
 * @property {'closed' | number} load
 * @property {VariantRole} role
 * @property {number | null} poolSize null for the best size, which the survey finds
 *
 * @typedef {PlannedVariant<SaturationSettings, SaturationFigures>} SaturationVariant
 * @typedef {Plan<SaturationSettings, SaturationFigures> & { settings: SaturationOptions }} SaturationPlan
 */

/** Limit of open arrivals. From 2 on, only the memory for what waits would be measured. */
const MAX_LOAD = 2;

/** Estimates for the progress bar: opening the pool, warming up and draining. */
const OVERHEAD_MS = 450;

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

/**
 * The survey, which measures each size once in a closed loop; the comparison, which is repeated; and open arrivals.
 *
 * @param {SaturationOptions} options
 * @returns {Promise<SaturationPlan>}
 */
async function planSaturation({ poolSizes, reference, loads, openSizes, callers, share, heavyMs, measureMs }) {
  const shares = loads.filter((load) => load !== 'closed');
  const variants = [
    ...(loads.includes('closed')
      ? [
          ...poolSizes.map((poolSize) => describe('closed', 'size', poolSize)),
          describe('closed', 'best', null),
          describe('closed', 'reference', reference),
        ]
      : []),
    ...shares.flatMap((load) => openSizes.map((poolSize) => describe(load, 'size', poolSize))),
  ];
  return {
    settings: { poolSizes, reference, loads, openSizes, callers, share, heavyMs, measureMs },
    variants: variants.map((variant) => ({ ...variant, estimateMs: measureMs + OVERHEAD_MS })),
  };
}

/** @param {'closed' | number} load @param {VariantRole} role @param {number | null} poolSize */
function describe(load, role, poolSize) {
  const settings = { load, role, poolSize };
  return { name: nameVariant(settings), settings, once: role === 'size' };
}

/** @param {SaturationSettings} settings */
function nameVariant({ load, role, poolSize }) {
  if (role === 'size') return `${load === 'closed' ? load : `at ${load}`}, ${poolSize}`;
  return `compared: ${poolSize ?? 'best'}`;
}

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
