import { decodeDocument } from '../bson/decode.js';
import { NAMESPACE_NOT_FOUND } from '../base/errors.js';
import { collModWithoutTtl, withoutTtl } from '../collections/ttl-indexes.js';

/** @import { Namespace, Namespaces } from '../base/namespaces.js' */
/** @import { Counters } from '../base/replication-figures.js' */
/** @import { OplogEntry } from '../source/oplog-entry.js' */
/** @import { DeferredDocuments } from './deferred-documents.js' */
/** @import { DdlCommand, Target } from './target.js' */

// https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
const INDEX_NOT_FOUND = 27;
const NAMESPACE_EXISTS = 48;

/** Options of a collection that no client may send. */
const INTERNAL_OPTIONS = ['autoIndexId', 'idIndex', 'temp'];

/**
 * How each command of the oplog runs on the target. dropDatabase needs nothing: the oplog has a drop of each collection
 * before it. Indexes are created when their build commits, because the source does not enforce them earlier.
 *
 * @type {Record<string, (database: string, o: Record<string, any>) => DdlCommand | null>}
 */
const COMMANDS = {
  create: (database, { create, ...options }) => createCollectionCommand(database, create, options),
  drop: (database, { drop }) => commandOn(database, drop, { drop }),
  renameCollection: (_, { renameCollection, to, dropTarget }) => ({
    database: 'admin',
    names: [renameCollection, to],
    alreadyDoneCodes: [NAMESPACE_NOT_FOUND],
    // The oplog has the UUID of the dropped collection here, the command takes a boolean.
    command: { renameCollection, to, dropTarget: Boolean(dropTarget) },
  }),
  createIndexes: (database, { createIndexes, ...index }) => createIndexCommand(database, createIndexes, [index]),
  commitIndexBuild: (database, { commitIndexBuild, indexes }) =>
    createIndexCommand(database, commitIndexBuild, indexes),
  startIndexBuild: () => null,
  abortIndexBuild: () => null,
  dropIndexes: (database, { dropIndexes, index }) =>
    commandOn(database, dropIndexes, { dropIndexes, index }, [NAMESPACE_NOT_FOUND, INDEX_NOT_FOUND]),
  collMod: (database, { collMod, ...changes }) => {
    const command = collModWithoutTtl({ collMod, ...changes });
    return command && commandOn(database, collMod, command, [NAMESPACE_NOT_FOUND], true);
  },
  dropDatabase: () => null,
};

/**
 * @param {object} options
 * @param {Target | null} options.target
 * @param {boolean} options.isOneOfSeveral whether other sources write to the same target
 * @param {boolean} options.isFromStart whether the source's entire history is replicated
 * @param {boolean} [options.withoutIndexes] ignores commands about indexes
 * @param {Counters} options.counters
 * @param {Namespaces} options.namespaces
 * @param {DeferredDocuments} options.deferred
 * @param {(entry: OplogEntry, namespace: Namespace) => void} options.onUnsupported
 * @returns {(entry: OplogEntry, name: string) => Promise<void>} applies the command `name` of an entry
 */
export function createCommandApplier({
  target,
  isOneOfSeveral,
  isFromStart,
  withoutIndexes,
  counters,
  namespaces,
  deferred,
  onUnsupported,
}) {
  return async (entry, name) => {
    const found = readCommand(entry, name);
    const ddl = withoutIndexes ? found && withoutIndexChanges(found) : found;
    if (!ddl) {
      counters.noops++;
      return;
    }
    const affected = ddl.names.map(namespaces.named);
    const [{ skipped }] = affected;
    if (skipped && affected.every((namespace) => namespace.skipped)) {
      counters[skipped]++;
      if (skipped === 'unsupported') onUnsupported(entry, affected[0]);
      return;
    }
    const names = ddl.names.join(' to ');
    const outside = affected.find((namespace) => namespace.skipped);
    if (outside && affected[0].isTemporary) {
      // $out and the like have filled a collection that the filter excludes.
      const [{ database, collection }] = affected;
      await target?.runDdl(commandOn(database, collection, { drop: collection }));
      counters.addCommand();
      return;
    }
    if (outside) {
      throw new Error(
        `can't replicate ${name} of ${names}: the namespace filter excludes ${outside.name}. Include both, and ` +
          'copy the data again',
      );
    }
    if (isOneOfSeveral && !ddl.isShared) {
      throw new Error(
        `can't replicate ${name} of ${names} from several sources: its order relative to the other sources ` +
          'is unknown',
      );
    }
    if (name === 'drop') affected.forEach((namespace) => deferred.deleteAll(namespace));
    // When the entire history is replayed, a collection that already has the new name is from a later time. It will be
    // created again.
    if (name === 'renameCollection' && isFromStart) ddl.command.dropTarget = true;
    await target?.runDdl(ddl);
    if (name === 'renameCollection') deferred.move(affected[0], affected[1]);
    for (const { database, collection } of affected) namespaces.forgetConstraints(database, collection);
    counters.addCommand();
  };
}

/**
 * @param {OplogEntry} entry
 * @param {string} name of the command
 * @returns {DdlCommand | null} null when there is nothing to do
 * @throws {Error} when the command cannot be replicated
 */
function readCommand({ bytes, ns, nsLength, o }, name) {
  const database = bytes.toString('utf8', ns, ns + nsLength).replace(/\.\$cmd$/, '');
  if (!Object.hasOwn(COMMANDS, name)) {
    throw new Error(`can't replicate the command ${name} in ${database}: it is not supported`);
  }
  return COMMANDS[name](database, decodeDocument(bytes, o));
}

/** @param {DdlCommand} ddl @returns {DdlCommand | null} */
function withoutIndexChanges(ddl) {
  const { createIndexes, dropIndexes, index, ...command } = ddl.command;
  if (createIndexes || dropIndexes) return null;
  // A collMod that changes nothing but an index.
  return index && Object.keys(command).length === 1 ? null : { ...ddl, command };
}

/**
 * @param {string} database
 * @param {string} collection
 * @param {DdlCommand['command']} command
 * @param {DdlCommand['alreadyDoneCodes']} [alreadyDoneCodes]
 * @param {DdlCommand['isShared']} [isShared]
 * @returns {DdlCommand} that affects only this collection
 */
export function commandOn(database, collection, command, alreadyDoneCodes = [NAMESPACE_NOT_FOUND], isShared = false) {
  return { database, names: [`${database}.${collection}`], command, alreadyDoneCodes, isShared };
}

/**
 * @param {string} database
 * @param {string} collection
 * @param {Record<string, any>} options as the source has them
 * @returns {DdlCommand}
 */
export function createCollectionCommand(database, collection, options) {
  const allowed = Object.entries(withoutTtl(options)).filter(([name]) => !INTERNAL_OPTIONS.includes(name));
  const command = { create: collection, ...Object.fromEntries(allowed) };
  return commandOn(database, collection, command, [NAMESPACE_EXISTS], true);
}

/**
 * @param {string} database
 * @param {string} collection
 * @param {Record<string, any>[]} indexes
 * @returns {DdlCommand}
 */
export function createIndexCommand(database, collection, indexes) {
  const definitions = indexes.map((index) => withCollation(withoutTtl(index)));
  return commandOn(database, collection, { createIndexes: collection, indexes: definitions }, [], true);
}

/**
 * Without a collation, an index would get that of its collection.
 * @param {Record<string, any> | Map<string, any>} index
 */
function withCollation(index) {
  const fields = index instanceof Map ? Object.fromEntries(index) : index;
  // Version 1 knows none.
  return Number(fields.v) === 1 ? fields : { collation: { locale: 'simple' }, ...fields };
}
