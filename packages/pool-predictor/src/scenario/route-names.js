import { keyOf } from './workload-request.js';

/** @import { FlowStep } from '../simulator/flow.js' */
/** @import { Endpoint } from './workload-request.js' */

/**
 * Names routes by their path. The method comes before it if a path has several, and the GraphQL operation after it:
 * `/fast`, `GET /orders`, `/graphql GetUser`.
 *
 * @param {Endpoint[]} endpoints all of a scenario file
 * @returns {Map<string, string>} by key
 */
export function nameRoutes(endpoints) {
  const own = endpoints.filter(({ isOwn }) => isOwn);
  /** @type {Map<string, Set<string>>} */
  const methods = new Map();
  for (const { path, method } of own) methods.set(path, (methods.get(path) ?? new Set()).add(method));
  return new Map(
    own.map((endpoint) => {
      const key = keyOf(endpoint);
      const isOnly = methods.get(endpoint.path)?.size === 1;
      return [key, isOnly ? key.slice(endpoint.method.length + 1) : key];
    }),
  );
}

/** @param {FlowStep[]} steps @param {Map<string, string>} names of routes that get another one @returns {FlowStep[]} */
export function renameRoutes(steps, names) {
  return steps.map((step) => {
    if (step.kind === 'loop') return { ...step, steps: renameRoutes(step.steps, names) };
    return step.kind === 'request' ? { ...step, route: names.get(step.route) ?? step.route } : step;
  });
}
