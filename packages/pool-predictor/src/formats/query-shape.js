import { textOf } from '../text-of.js';

/** Databases of the server itself, and what drivers send without being asked. */
const SYSTEM = /^(admin|config|local)\.|\.system\./;

/**
 * Names the shape of a query: the command, the collection and the fields of the filter, such as
 * `find shop.orders {customer, status}`.
 *
 * @param {Record<string, any>} attr of a line "Slow query" in MongoDB's log
 * @returns {string | undefined} undefined for a query that no app sent
 */
export function nameShape({ command, originatingCommand, remote }) {
  if (remote === undefined) return undefined;
  const [[verb, target] = ['']] = Object.entries(command);
  const collection = typeof target === 'string' ? target : command.collection;
  if (typeof collection !== 'string') return undefined;
  const namespace = `${textOf(command.$db)}.${collection}`;
  if (SYSTEM.test(namespace)) return undefined;
  const fields = Object.keys(Object(findFilter(Object(originatingCommand ?? command)))).sort();
  return `${verb} ${namespace}${fields.length > 0 ? ` {${fields.join(', ')}}` : ''}`;
}

/** @param {Record<string, any>} command @returns {unknown} */
function findFilter({ filter, query, updates, deletes, pipeline }) {
  return filter ?? query ?? updates?.[0]?.q ?? deletes?.[0]?.q ?? pipeline?.[0]?.$match;
}
