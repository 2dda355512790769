import { matchRoutes } from '../predictions/route-patterns.js';

/** @import { RequestLine, Service } from 'mongodb-pool-predictor' */

/**
 * Gives each route of a scenario its service time and its number of queries. What is given for a path alone is for all
 * of its methods and operations, and what is given for `/users/:id` is for `/users/42`.
 *
 * @param {{ routes: string[], requests: RequestLine[] }} scenario
 * @param {object} times by route
 * @param {Record<string, Service>} times.given with --service: the time of one query
 * @param {Record<string, Service>} times.measured all queries of a request together
 * @param {Record<string, number>} times.queries of each request
 * @returns {{ services: Record<string, Service>, warnings: string[] }}
 * @throws {Error} for a route without a service time, or an option for a route that is not in the scenario
 */
export function matchServices({ routes, requests }, { given, measured, queries }) {
  const paths = new Map(requests.flatMap(({ route, path }) => (route ? [[route, path]] : [])));
  const patterns = matchRoutes(requests, Object.keys({ ...measured, ...queries, ...given }));
  const nameIn = (/** @type {object} */ times, /** @type {string} */ route) =>
    [route, String(paths.get(route)), String(patterns.get(route))].find((name) => Object.hasOwn(times, name));
  for (const [option, times] of Object.entries({ '--service': given, '--queries': queries })) {
    const used = new Set(routes.map((route) => nameIn(times, route)));
    const unknown = Object.keys(times).find((name) => !used.has(name));
    if (unknown) throw new Error(`${option} ${unknown}: the load has no such route, only ${routes.join(', ')}`);
  }
  requireTimes(routes.filter((route) => !nameIn({ ...measured, ...given }, route)));

  /** @type {string[]} */
  const warnings = [];
  const services = Object.fromEntries(
    routes.map((route) => {
      const [own, ofApp, ofQueries] = [given, measured, queries].map((times) => nameIn(times, route));
      const service = own ? given[own] : measured[String(ofApp)];
      if (!ofQueries) return [route, service];
      const count = queries[ofQueries];
      if (service.kind === 'none')
        throw new Error(`--queries ${ofQueries}=${count}: --service says that ${route} makes none`);
      if (own && service.kind === 'requests')
        throw new Error(`--queries ${ofQueries}=${count}: --service says which queries ${route} makes`);
      if (!own && count > 1)
        warnings.push(`${route}: the measured time covers all ${count} queries, so each counts as 1/${count} of it.`);
      return [route, { ...(own ? service : divide(service, count)), queries: count }];
    }),
  );
  const shared = findShared(routes, (route) => nameIn(given, route) ?? nameIn(measured, route));
  return { services, warnings: [...shared, ...warnings] };
}

/** @param {string[]} routes @param {(route: string) => string | undefined} nameOf @returns {string[]} */
function findShared(routes, nameOf) {
  const names = new Set(routes.filter((route) => nameOf(route) !== route).map(nameOf));
  return [...names].flatMap((name) => {
    const sharing = routes.filter((route) => nameOf(route) === name);
    if (sharing.length === 1) return [];
    return (
      `${sharing.join(' and ')} have the same service time, that of ${name}, which does not tell them apart. To give ` +
      `each its own: --service '${sharing[0]}=MS'`
    );
  });
}

/** @param {string[]} missing routes */
function requireTimes(missing) {
  if (missing.length === 0) return;
  const option = (/** @type {string} */ route, /** @type {string} */ time) =>
    `--service ${/[^\w/.-]/.test(route) ? `'${route}=${time}'` : `${route}=${time}`}`;
  throw new Error(
    `There is no service time for ${missing.join(', ')}: ` +
      `give ${missing.map((route) => option(route, 'MS')).join(' ')}, or take them from a running app ` +
      '(--app URL) or an earlier run (--from RESULT.json). A route that makes no query has ' +
      `none: ${option(missing[0], 'none')}`,
  );
}

/** @param {Service} service measured @param {number} count @returns {Service} */
function divide(service, count) {
  if (service.kind === 'fixed') return { ...service, ms: service.ms / count };
  if (service.kind === 'sample') return { ...service, valuesMs: Array.from(service.valuesMs, (ms) => ms / count) };
  if (service.kind === 'exponential') return { ...service, meanMs: service.meanMs / count };
  return service.kind === 'lognormal' ? { ...service, medianMs: service.medianMs / count } : service;
}
