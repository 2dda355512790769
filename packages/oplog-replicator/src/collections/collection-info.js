import { createNamespaces } from '../base/namespaces.js';
import { findUnsupportedCollection } from './unsupported.js';

/** @import { Binary, Document } from 'mongodb' */
/** @import { Deployment } from '../base/deployment.js' */
/** @import { Constraints, Filter } from '../base/namespaces.js' */
/** @import { Unsupported } from './unsupported.js' */

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
