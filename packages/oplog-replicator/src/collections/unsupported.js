import { BSON } from 'mongodb';
import { COMMAND } from '../source/oplog-entry.js';
import { readInt } from '../bson/bytes.js';

/** @import { Namespace } from '../base/namespaces.js' */
/** @import { OplogEntry } from '../source/oplog-entry.js' */

/**
 * @typedef {object} Unsupported something that the replicator can't replicate
 * @property {string} kind such as `view`
 * @property {string} name `db.collection`
 */

const VIEWS = 'system.views';
const BUCKETS = 'system.buckets.';

/** @type {Record<string, string>} */
const KINDS = { 'system.js': 'stored JavaScript', 'system.users': 'users', 'system.roles': 'roles' };

/** Its view or time series has an entry of its own, and the profile is of one server only. */
const NOT_REPORTED = /^system\.(views|profile|buckets\..*)$/;

/**
 * @param {Namespace} namespace
 * @param {string} type as `listCollections` says
 * @returns {Unsupported | null} null if it is replicated, or need not be reported
 */
export function findUnsupportedCollection({ name, collection, skipped }, type) {
  if (skipped === 'excluded' || NOT_REPORTED.test(collection)) return null;
  if (type === 'view') return { kind: 'view', name };
  if (type === 'timeseries') return { kind: 'time series', name };
  return skipped === 'unsupported' ? { kind: KINDS[collection] ?? 'system collection', name } : null;
}

/**
 * @param {OplogEntry} entry
 * @param {Namespace} namespace of the entry, a system collection
 * @returns {Unsupported | null} null if the entry is about several things, or about one that no longer exists
 */
export function findUnsupported({ bytes, op, o }, { database, collection, name }) {
  if (collection.startsWith(BUCKETS))
    return { kind: 'time series', name: `${database}.${collection.slice(BUCKETS.length)}` };
  if (collection !== VIEWS) return { kind: KINDS[collection] ?? 'system collection', name };
  if (op === COMMAND) return null;
  const { _id, viewOn } = BSON.deserialize(bytes.subarray(o, o + readInt(bytes, o)));
  if (viewOn === undefined) return null;
  return { kind: viewOn.startsWith(BUCKETS) ? 'time series' : 'view', name: _id };
}
