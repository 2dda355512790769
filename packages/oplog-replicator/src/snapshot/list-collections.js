import { createNamespaces } from '../namespaces.js';
import { findUnsupportedCollection } from '../unsupported.js';

/** @import { Binary, Document } from 'mongodb' */
/** @import { End } from '../end.js' */
/** @import { Filter } from '../namespaces.js' */
/** @import { Unsupported } from '../unsupported.js' */

/**
 * @typedef {object} Listed a collection that is replicated
 * @property {string} name `db.collection`
 * @property {string} database
 * @property {string} collection
 * @property {Binary} uuid
 * @property {Record<string, any>} options
 */

/**
 * @param {End} end
 * @param {Filter} [filter]
 * @returns {Promise<{ replicated: Listed[], unsupported: Unsupported[] }>}
 */
export async function listCollections(end, filter) {
  const namespaces = createNamespaces(filter);
  const { databases } = await end.command('admin', { listDatabases: 1, nameOnly: true, authorizedDatabases: true });
  const names = databases.map((/** @type {Document} */ { name }) => name).filter(namespaces.mayReplicate).sort();
  /** @type {Listed[]} */
  const replicated = [];
  /** @type {Unsupported[]} */
  const unsupported = [];
  // The database admin has the users and roles.
  for (const database of [...names, 'admin']) {
    const found = await end.readAll(database, {
      listCollections: 1, authorizedCollections: true, ...database === 'admin' && { nameOnly: true },
    });
    for (const { name: collection, type, options, info } of found) {
      const namespace = namespaces.named(`${database}.${collection}`);
      const problem = findUnsupportedCollection(namespace, type);
      if (problem) unsupported.push(problem);
      else if (!namespace.skipped && type === 'collection') {
        replicated.push({
          name: namespace.name, database, collection, uuid: info.get('uuid'), options: Object.fromEntries(options),
        });
      }
    }
  }
  replicated.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { replicated, unsupported };
}
