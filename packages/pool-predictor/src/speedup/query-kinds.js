import { sum } from '../base/sample-statistics.js';
import { changeServices } from '../load/change-queries.js';

/** @import { LoadChange } from '../load/change-queries.js' */
/** @import { Trace } from '../trace/trace.js' */

/**
 * The queries of a route that are the same operation.
 *
 * @typedef {object} UsedQueries
 * @property {string} route
 * @property {string | undefined} operation such as `find products`; undefined where it was not recorded
 * @property {number} share of the time in which connections were in use
 */

/** @param {Trace} trace @returns {UsedQueries[]} the one that used connections longest comes first */
export function listKinds({ routes, routeOf, operations = [], operationOf = [], useMs }) {
  /** @type {Map<string, UsedQueries>} */
  const kinds = new Map();
  let usedMs = 0;
  for (let row = 0; row < useMs.length; row++) {
    usedMs += useMs[row];
    const { name: operation, kind: parks } = operations[operationOf[row]] ?? {};
    // What waits for new documents takes as long as there are none.
    if (parks) continue;
    const route = routes[routeOf[row]];
    const key = `${routeOf[row]} ${operation}`;
    const kind = kinds.get(key) ?? { route, operation, share: 0 };
    kinds.set(key, kind);
    kind.share += useMs[row];
  }
  return Array.from(kinds.values(), (kind) => ({ ...kind, share: kind.share / usedMs })).toSorted(
    (a, b) => b.share - a.share,
  );
}

/** @param {Trace} trace @param {LoadChange} change @returns {number} the share of all use time that it leaves */
export function shareLeft(trace, { isRemoved, ...change }) {
  const left = changeServices(trace, trace.useMs, isRemoved ? { ...change, factor: 0 } : change);
  return sum(Array.from(left).filter((ms) => ms >= 0)) / sum(Array.from(trace.useMs));
}

/**
 * @typedef {{ change: LoadChange, ownClient?: { route: string, poolSize: number } }} TriedChange
 *
 * @typedef {TriedChange & { text: string }} WhatIfChange as it was given
 */

const HOW = /^(?:(?<percent>\d+(?:\.\d+)?) ?%|own-client:(?<size>[1-9]\d*)|none)$/;
const FORMS = 'write 50% (of the time that it takes), none, or own-client:2 (a route with a client of its own)';

/**
 * Parses a change of the queries of a trace: `find products=50%`, `find products of /shop=none`, `/report=none`,
 * `/report=own-client:2`.
 *
 * @param {string} text
 * @param {Pick<Trace, 'routes' | 'operations'>} trace
 * @returns {WhatIfChange}
 * @throws {Error} naming what is wrong and what there is
 */
export function parseChange(text, { routes, operations: recorded = [] }) {
  const operations = [...new Set(recorded.map(({ name }) => name))];
  const at = text.lastIndexOf('=');
  const [name, how] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  const { percent, size } = HOW.exec(how)?.groups ?? {};
  if (at < 1 || !HOW.test(how)) throw new Error(`"${text}" is not a change: ${FORMS}, such as 'find products=50%'`);
  const kind = findKind(name, routes, operations);
  if (!kind)
    throw new Error(
      `"${text}": the recording has no "${name}". It has ${[...routes, ...operations].join(', ')}, ` +
        'and OPERATION of ROUTE',
    );
  if (size !== undefined) {
    if (kind.operation !== undefined || kind.route === undefined)
      throw new Error(`"${text}": only a route can have a client of its own, one of ${routes.join(', ')}`);
    return { text, change: {}, ownClient: { route: kind.route, poolSize: Number(size) } };
  }
  const isRemoved = how === 'none' && kind.operation === undefined;
  return { text, change: { ...kind, ...(isRemoved ? { isRemoved } : { factor: Number(percent ?? 0) / 100 }) } };
}

/**
 * @param {string} name
 * @param {string[]} routes
 * @param {string[]} operations
 * @returns {Pick<LoadChange, 'route' | 'operation'> | undefined}
 */
function findKind(name, routes, operations) {
  if (routes.includes(name)) return { route: name };
  if (operations.includes(name)) return { operation: name };
  const route = routes.find((each) => name.endsWith(` of ${each}`));
  const operation = route && name.slice(0, -` of ${route}`.length);
  return operation && operations.includes(operation) ? { route, operation } : undefined;
}
