import { BSON } from 'mongodb';
import { createNamespaces } from '../base/namespaces.js';
import { COMMAND } from '../source/oplog-entry.js';
import { readInt } from '../bson/bytes.js';

/** @import { Binary, Document } from 'mongodb' */
/** @import { Deployment } from '../base/deployment.js' */
/** @import { Constraints, Filter, Namespace } from '../base/namespaces.js' */
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
function findUnsupportedCollection({ name, collection, skipped }, type) {
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

/**
 * @typedef {object} CollectionInfo a collection that is replicated
 * @property {string} name `db.collection`
 * @property {string} database
 * @property {string} collection
 * @property {Binary} uuid
 * @property {Record<string, any>} options
 */

/**
 * @param {Deployment} deployment
 * @param {Filter} [filter]
 * @returns {Promise<{ replicated: CollectionInfo[], unsupported: Unsupported[] }>}
 */
export async function listCollections(deployment, filter) {
  const namespaces = createNamespaces(filter);
  const { databases } = await deployment.command('admin', {
    listDatabases: 1,
    nameOnly: true,
    authorizedDatabases: true,
  });
  const names = databases
    .map((/** @type {Document} */ { name }) => name)
    .filter(namespaces.mayReplicate)
    .sort();
  /** @type {CollectionInfo[]} */
  const replicated = [];
  /** @type {Unsupported[]} */
  const unsupported = [];
  // The database admin has the users and roles.
  for (const database of [...names, 'admin']) {
    const found = await deployment.readAll(database, {
      listCollections: 1,
      authorizedCollections: true,
      ...(database === 'admin' && { nameOnly: true }),
    });
    for (const { name: collection, type, options, info } of found) {
      const namespace = namespaces.named(`${database}.${collection}`);
      const problem = findUnsupportedCollection(namespace, type);
      if (problem) unsupported.push(problem);
      else if (!namespace.skipped && type === 'collection') {
        replicated.push({
          name: namespace.name,
          database,
          collection,
          uuid: info.get('uuid'),
          options: Object.fromEntries(options),
        });
      }
    }
  }
  replicated.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { replicated, unsupported };
}

/**
 * The order of different documents matters with a unique index, where a value can move from one document to another; in
 * a capped collection, which removes the oldest; and with a collation, where two different `_id` values can be equal.
 *
 * @param {Deployment} deployment
 * @param {{ database: string, collection: string }} namespace
 * @returns {Promise<Constraints>}
 */
export async function readConstraints(deployment, { database, collection }) {
  const [info] = await deployment.list(database, { listCollections: 1, filter: { name: collection } });
  if (!info) return { inOrder: false, isCapped: false, isValidated: false };
  const indexes = await deployment.list(database, { listIndexes: collection });
  const isUnique = indexes.some(({ unique, prepareUnique, clustered }) => (unique || prepareUnique) && !clustered);
  const { capped = false, collation, validator } = info.options;
  return {
    inOrder: isUnique || capped || collation !== undefined,
    isCapped: capped,
    isValidated: validator !== undefined,
  };
}
