import { BSON } from 'mongodb';
import { COMMAND } from './source/raw-entry.js';
import { readInt } from './bson/bytes.js';

/** @import { Namespace } from './namespaces.js' */
/** @import { RawEntry } from './source/raw-entry.js' */

/**
 * @typedef {object} Unsupported something that the replicator can't replicate
 * @property {string} kind such as `view`
 * @property {string} name `db.collection`
 */

const VIEWS = 'system.views';
const BUCKETS = 'system.buckets.';

/** @type {Record<string, string>} */
const KINDS = { 'system.js': 'stored JavaScript', 'system.users': 'users', 'system.roles': 'roles' };

/**
 * @param {RawEntry} entry
 * @param {Namespace} namespace of the entry, a system collection
 * @returns {Unsupported | null} null if the entry is about several things, or about one that no longer exists
 */
export function findUnsupported({ bytes, op, o }, { database, collection, name }) {
  if (collection.startsWith(BUCKETS)) return { kind: 'time series', name: `${database}.${collection.slice(BUCKETS.length)}` };
  if (collection !== VIEWS) return { kind: KINDS[collection] ?? 'system collection', name };
  if (op === COMMAND) return null;
  const { _id, viewOn } = BSON.deserialize(bytes.subarray(o, o + readInt(bytes, o)));
  if (viewOn === undefined) return null;
  return { kind: viewOn.startsWith(BUCKETS) ? 'time series' : 'view', name: _id };
}
