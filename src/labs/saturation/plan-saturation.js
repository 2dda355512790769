import { CAUSES } from './causes.js';

/** @import { Plan, PlannedVariant } from '../../harness/run-lab.js' */
/** @import { CauseName } from './causes.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */

/**
 * @typedef {object} SaturationOptions
 * @property {CauseName[]} causes
 * @property {number[]} poolSizes ascending
 * @property {number} reference the large pool that the best one is compared with
 * @property {('closed' | number)[]} loads a closed loop, or open arrivals as a share of what the server can answer
 * @property {number[]} openSizes pool sizes under open arrivals, ascending
 * @property {number} callers of the closed loop
 * @property {number} share of heavy queries
 * @property {number} heavyMs how long a heavy query takes alone; not for hotDocument
 * @property {number} entries of the hot document
 * @property {number} tickets for reading
 * @property {boolean} changeTickets also on a MongoDB that is not ours
 * @property {number} measureMs
 *
 * @typedef {'size' | 'best' | 'reference' | 'control'} Role of a variant: one size of the survey, or one of those compared
 *
 * @typedef {object} SaturationSettings
 * @property {CauseName} cause
 * @property {'closed' | number} load
 * @property {Role} role
 * @property {number | null} poolSize null for the best size, which the survey finds
 *
 * @typedef {PlannedVariant<SaturationSettings, SaturationFigures>} SaturationVariant
 * @typedef {Plan<SaturationSettings, SaturationFigures> & { settings: SaturationOptions }} SaturationPlan
 */

/** Estimates for the progress bar: opening the pool, warming up and draining. */
const OVERHEAD_MS = 450;

/**
 * For each cause: the survey, which measures each size once in a closed loop; the comparison, which is repeated; and open
 * arrivals.
 *
 * @param {SaturationOptions} options
 * @returns {Promise<SaturationPlan>}
 */
export async function planSaturation(options) {
  const {
    causes, poolSizes, reference, loads, openSizes, callers, share, heavyMs, entries, tickets, changeTickets, measureMs,
  } = options;
  const shares = loads.filter((load) => load !== 'closed');
  const variants = causes.flatMap((cause) => [
    ...(loads.includes('closed') ? [...listSurvey(cause, poolSizes), ...listComparison(cause, reference)] : []),
    ...shares.flatMap((load) => openSizes.map((poolSize) => describe(cause, load, 'size', poolSize))),
  ]);
  return {
    settings: {
      causes, poolSizes, reference, loads, openSizes, callers, share, heavyMs, entries, tickets, changeTickets, measureMs,
    },
    variants: variants.map((variant) => ({ ...variant, estimateMs: measureMs + OVERHEAD_MS })),
  };
}

/** @param {CauseName} cause @param {number[]} poolSizes */
function listSurvey(cause, poolSizes) {
  return poolSizes.map((poolSize) => describe(cause, 'closed', 'size', poolSize));
}

/** @param {CauseName} cause @param {number} reference */
function listComparison(cause, reference) {
  return [
    describe(cause, 'closed', 'best', null),
    describe(cause, 'closed', 'reference', reference),
    ...(CAUSES[cause].control ? [describe(cause, 'closed', 'control', reference)] : []),
  ];
}

/** @param {CauseName} cause @param {'closed' | number} load @param {Role} role @param {number | null} poolSize */
function describe(cause, load, role, poolSize) {
  const settings = { cause, load, role, poolSize };
  return { name: nameVariant(settings), settings, once: role === 'size' };
}

/** @param {SaturationSettings} settings */
function nameVariant({ cause, load, role, poolSize }) {
  const { label, control } = CAUSES[cause];
  if (role === 'best') return `${label}: best`;
  if (role === 'reference') return `${label}: ${poolSize}`;
  if (role === 'control') return `${control}: ${poolSize}`;
  return load === 'closed' ? `${label}, ${poolSize}` : `${label} at ${load}, ${poolSize}`;
}
