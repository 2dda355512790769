import { decodeDocument } from '../bson/decode.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { RawEntry } from '../source/raw-entry.js' */

/** What the server answers when a command was done before: `NamespaceNotFound`, `IndexNotFound`, `NamespaceExists`. */
const NO_NAMESPACE = 26;
const NO_INDEX = 27;
const NAMESPACE_EXISTS = 48;

/** What a server logs of a new collection, and takes from no client. */
const INTERNAL = ['idIndex', 'temp'];

/**
 * @typedef {object} Definition a command of the oplog that makes or changes a collection or its indexes
 * @property {string} database in which it is run
 * @property {string[]} names of the collections that it is about, as `db.collection`
 * @property {Record<string, any>} command
 * @property {number[]} done codes of the answers that say that it was done before
 * @property {boolean} [isShared] whether several shards log it and it does no harm to do it again later
 */

/**
 * How the oplog's commands are done by a client. A dropDatabase needs nothing: the drop of each collection is logged
 * before it. An index that was built is made where its building ended; until then the source did not enforce it.
 *
 * @type {Record<string, (database: string, o: Record<string, any>) => Definition | null>}
 */
const DEFINITIONS = {
  create: (database, command) => ({
    database, names: [`${database}.${command.create}`], done: [NAMESPACE_EXISTS], isShared: true,
    command: Object.fromEntries(Object.entries(command).filter(([name]) => !INTERNAL.includes(name))),
  }),
  drop: (database, { drop }) => ({
    database, names: [`${database}.${drop}`], command: { drop }, done: [NO_NAMESPACE],
  }),
  renameCollection: (_, { renameCollection, to, dropTarget }) => ({
    database: 'admin', names: [renameCollection, to], done: [NO_NAMESPACE],
    // The source logs the UUID of the collection that was dropped for it.
    command: { renameCollection, to, dropTarget: Boolean(dropTarget) },
  }),
  createIndexes: (database, { createIndexes, ...index }) => makeIndexes(database, createIndexes, [index]),
  commitIndexBuild: (database, { commitIndexBuild, indexes }) => makeIndexes(database, commitIndexBuild, indexes),
  startIndexBuild: () => null,
  abortIndexBuild: () => null,
  dropIndexes: (database, { dropIndexes, index }) => ({
    database, names: [`${database}.${dropIndexes}`], command: { dropIndexes, index }, done: [NO_NAMESPACE, NO_INDEX],
  }),
  collMod: (database, command) => ({
    database, names: [`${database}.${command.collMod}`], command, done: [NO_NAMESPACE], isShared: true,
  }),
  dropDatabase: () => null,
};

/**
 * @param {RawEntry} entry of a command
 * @param {string} name of the command
 * @returns {Definition | null} null where nothing has to be done
 * @throws {Error} for a command that can't be replicated
 */
export function readDefinition({ bytes, ns, nsLength, o }, name) {
  const database = bytes.toString('utf8', ns, ns + nsLength).replace(/\.\$cmd$/, '');
  if (!Object.hasOwn(DEFINITIONS, name)) {
    throw new Error(`the source's oplog has a command that can't be replicated: ${name} in ${database}`);
  }
  return DEFINITIONS[name](database, decodeDocument(bytes, o));
}

/**
 * Do a command on the target. One that was done before is no error: a replication that was ended may have had no time
 * to note that.
 *
 * @param {MongoClient} client
 * @param {Definition} definition
 * @param {Record<string, unknown>} options of the command, such as its write concern
 */
export async function applyDefinition(client, { database, names, command, done }, options) {
  try {
    await client.db(database).command({ ...command, ...options });
  } catch (cause) {
    const { code, message } = /** @type {Error & { code?: number }} */ (cause);
    if (done.includes(Number(code))) return;
    const what = `${Object.keys(command)[0]} of ${names.join(' to ')}`;
    throw Object.assign(new Error(`the target refuses ${what}: ${message}`, { cause }), { code });
  }
}

/**
 * @param {string} database
 * @param {string} collection
 * @param {Record<string, any>[]} indexes
 * @returns {Definition}
 */
function makeIndexes(database, collection, indexes) {
  return {
    database, names: [`${database}.${collection}`], command: { createIndexes: collection, indexes }, done: [],
    isShared: true,
  };
}
