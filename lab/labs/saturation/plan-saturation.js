/** @import { Plan, PlannedVariant } from '../../harness/run-lab.js' */
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

/** Estimates for the progress bar: opening the pool, warming up and draining. */
const OVERHEAD_MS = 450;

/**
 * The survey, which measures each size once in a closed loop; the comparison, which is repeated; and open arrivals.
 *
 * @param {SaturationOptions} options
 * @returns {Promise<SaturationPlan>}
 */
export async function planSaturation({ poolSizes, reference, loads, openSizes, callers, share, heavyMs, measureMs }) {
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
