/** @import { Arrival } from '../simulator/arrivals.js' */
/** @import { Trace } from '../trace/trace.js' */

/**
 * Some queries of a trace that take other times, while everything else stays as it was recorded.
 *
 * @typedef {object} LoadChange
 * @property {string} [route] default: all
 * @property {string} [operation] default: all
 * @property {number} [factor] times as long as they took; 0: they are never sent, and take no connection
 * @property {boolean} [isRemoved] the requests of the route are never sent, instead
 */

/**
 * Finds the checkouts of a route and an operation.
 *
 * @param {Pick<Trace, 'routes' | 'routeOf' | 'operations' | 'operationOf'>} trace
 * @param {Pick<LoadChange, 'route' | 'operation'>} kind
 * @returns {(row: number) => boolean}
 */
function createKindTest({ routes, routeOf, operations = [], operationOf = [] }, { route, operation }) {
  const routeRow = route === undefined ? -1 : routes.indexOf(route);
  const isOperation = operations.map(({ name }) => name === operation);
  return (row) =>
    (route === undefined || routeOf[row] === routeRow) &&
    (operation === undefined || isOperation[operationOf[row]] === true);
}

/**
 * @param {Trace} trace
 * @param {ArrayLike<number>} servicesMs of its checkouts
 * @param {LoadChange} change
 * @returns {ArrayLike<number>} the same, changed; NaN for a query that is never sent
 */
export function changeServices(trace, servicesMs, { factor = 1, ...kind }) {
  const isChanged = createKindTest(trace, kind);
  return Float64Array.from(servicesMs, (ms, row) => (isChanged(row) ? (factor === 0 ? NaN : ms * factor) : ms));
}

/**
 * Leaves out the requests of a route. Those that a user sends after them are sent as long after the answer before.
 *
 * @param {Iterator<Arrival, void>} arrivals
 * @param {string} [removed]
 * @returns {Iterator<Arrival, void>}
 */
export function removeRequests(arrivals, removed) {
  return {
    next() {
      for (;;) {
        const { value } = arrivals.next();
        if (!value) return { done: true, value: undefined };
        const requests = value.requests?.filter(({ route }) => route !== removed);
        if (requests ? requests.length > 0 : value.route !== removed)
          return { done: false, value: requests ? { ...value, requests } : value };
      }
    },
  };
}
