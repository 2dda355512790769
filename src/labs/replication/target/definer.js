import { readDefinition } from './definitions.js';

/** @import { RawEntry } from '../source/raw-entry.js' */

/**
 * Do the commands of an oplog.
 *
 * @param {Pick<import('../session.js').Work, 'target' | 'isOneOfSeveral' | 'isWhole' | 'counts'> & {
 *   namespaces: ReturnType<typeof import('../namespaces.js').createNamespaces>,
 *   parked: ReturnType<typeof import('../workers/parked.js').createParked> }} options
 */
export function createDefiner({ target, isOneOfSeveral, isWhole, counts, namespaces, parked }) {
  /**
   * @param {RawEntry} entry
   * @param {string} name of the command
   */
  return async function define(entry, name) {
    const definition = readDefinition(entry, name);
    const touched = (definition?.names ?? []).map(namespaces.named);
    if (!definition || touched.every(({ excluded }) => excluded)) {
      counts.counters.skipped++;
      return;
    }
    const names = definition.names.join(' to ');
    if (touched.some(({ excluded }) => excluded)) {
      throw new Error(`${name} of ${names} can't be replicated: only one of the two is`);
    }
    if (isOneOfSeveral && !definition.isShared) {
      throw new Error(`${name} of ${names} can't be replicated from several sources: it has no place in the others' order`);
    }
    if (name === 'drop') touched.forEach(parked.forgetAll);
    // All that happened is replicated again: what has the new name already comes from later, and will come again.
    if (name === 'renameCollection' && isWhole) definition.command.dropTarget = true;
    await target?.define(definition);
    for (const { database, collection } of touched) namespaces.forget(database, collection);
    counts.addCommand();
  };
}
