import { createChoicesParser, parseDelay, parseInteger } from '../../harness/lab-options.js';
import { parsePoolSizes } from 'mongodb-pool-predictor';
import { CAUSE_NAMES } from './causes.js';
import { measureVariant } from './measure-variant.js';
import { prepareSaturation } from './prepare.js';
import { saturationView } from './saturation-view.js';
import { planSaturation } from './plan-saturation.js';

/** @import { Lab } from '../../harness/run-lab.js' */
/** @import { Shared } from './prepare.js' */
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
  summary: 'what a pool does that is larger than the server: three things a server can run out of',
  repeat: {
    default: 5,
    about: 'how many times to compare the best size with --reference; the repeats are interleaved, everything else is '
      + 'measured once',
  },
  options: {
    causes: {
      value: 'list', about: `what the server runs out of: ${CAUSE_NAMES.join(', ')}`, parse: createChoicesParser(CAUSE_NAMES),
      default: CAUSE_NAMES,
    },
    poolSizes: {
      value: 'list', about: 'pool sizes in the closed loop', parse: parsePoolSizes,
      default: [1, 2, 4, 8, 16, 32, 64, 100, 128, 300],
    },
    reference: { value: 'n', about: 'the large pool to compare the best one with', parse: parseInteger, default: 100 },
    loads: {
      value: 'list', parse: parseLoads, default: ['closed', 0.5, 0.8, 1.1],
      about: 'closed: a closed loop; a number: open arrivals, as a share of what the server can answer',
    },
    openSizes: {
      value: 'list', about: 'pool sizes under open arrivals', parse: parsePoolSizes, default: [4, 100, 300],
    },
    callers: { value: 'n', about: 'callers of the closed loop', parse: parseInteger, default: 64 },
    share: { value: 'share', about: 'share of heavy queries; the others are cheap', parse: parseShare, default: 0.25 },
    heavyMs: {
      value: 'ms', about: 'how long a heavy query takes alone (processor, tickets)', parse: parseDelay, default: 10,
    },
    entries: { value: 'n', about: 'entries of the hot document: more make its updates slower', parse: parseInteger, default: 1000 },
    tickets: { value: 'n', about: 'read tickets of the server; 5 is the fewest it takes', parse: parseInteger, default: 5 },
    changeTickets: {
      about: 'change the tickets of a MongoDB that was not started by the lab, too; they are restored afterwards', default: false,
    },
    measureMs: { value: 'ms', about: 'how long to measure each variant', parse: parseDelay, default: 800 },
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
    throw new Error(`"${load}" is neither closed nor a number above 0 and below ${MAX_LOAD}; several are written closed,0.5,1.1.`);
  });
}

/** @param {string} text @returns {number} @throws {Error} saying what is allowed */
function parseShare(text) {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (share > 0 && share <= 1) return share;
  throw new Error('It must be a number above 0 and at most 1.');
}
