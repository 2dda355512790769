import { readDefinition } from './definitions.js';

/** @import { RawEntry } from '../source/raw-entry.js' */

/**
 * Applies the commands of an oplog.
 *
 * @param {Pick<import('../session.js').Work, 'target' | 'isOneOfSeveral' | 'isFromStart' | 'counts'> & {
 *   namespaces: ReturnType<typeof import('../namespaces.js').createNamespaces>,
 *   deferred: import('../workers/deferred-documents.js').DeferredDocuments }} options
 */
export function createCommandApplier({ target, isOneOfSeveral, isFromStart, counts, namespaces, deferred }) {
  /**
   * @param {RawEntry} entry
   * @param {string} name of the command
   */
  return async function applyCommand(entry, name) {
    const definition = readDefinition(entry, name);
    const touched = (definition?.names ?? []).map(namespaces.named);
    if (!definition || touched.every(({ excluded }) => excluded)) {
      counts.counters.skipped++;
      return;
    }
    const names = definition.names.join(' to ');
    if (touched.some(({ excluded }) => excluded)) {
      throw new Error(`${name} of ${names} can't be replicated: one of the two is filtered out`);
    }
    if (isOneOfSeveral && !definition.isShared) {
      throw new Error(`${name} of ${names} can't be replicated from several sources: its order among the others' operations is unknown`);
    }
    if (name === 'drop') touched.forEach((namespace) => deferred.deleteAll(namespace));
    // The whole history is repeated: a collection that already has the new name comes from later, and will come again.
    if (name === 'renameCollection' && isFromStart) definition.command.dropTarget = true;
    await target?.define(definition);
    for (const { database, collection } of touched) namespaces.forget(database, collection);
    counts.addCommand();
  };
}
