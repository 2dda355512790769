import { hotDocument } from './hot-document.js';
import { processor } from './processor.js';
import { tickets } from './tickets.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { SaturationOptions } from './plan-saturation.js' */

/**
 * What a full server is full of. Each cause has a heavy query of its own; the cheap query is the same for all.
 *
 * @typedef {object} Cause
 * @property {string} label for people
 * @property {string} [control] the same load without the cause, as the name of its variant
 * @property {(surroundings: CauseSurroundings) => Promise<PreparedCause>} prepare
 *
 * @typedef {object} CauseSurroundings
 * @property {MongoClient} client
 * @property {string} collection name of a collection that only this run uses
 * @property {SaturationOptions} options
 * @property {AbortSignal} signal
 *
 * @typedef {object} PreparedCause
 * @property {(client: MongoClient, isControl: boolean) => () => Promise<unknown>} createHeavy
 * @property {() => Promise<void>} [begin] called before a measurement, except for the control
 * @property {() => Promise<void>} [end] called after it, and once more at the end of the run
 */

/** @typedef {'processor' | 'hotDocument' | 'tickets'} CauseName */

/** @type {Record<CauseName, Cause>} */
export const CAUSES = { processor, hotDocument, tickets };

export const CAUSE_NAMES = /** @type {CauseName[]} */ (Object.keys(CAUSES));
