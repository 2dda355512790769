import { Durations } from 'mongodb-pool-monitor';

/**
 * @param {Pick<import('../http/requests.js').EndedRequest, 'route' | 'status' | 'totalMs' | 'waitMs' | 'useMs'>[]} requests that
 *   ended within the period
 * @param {number} periodMs
 * @returns {Pick<import('../universal/feed-shapes.js').Second, 'ratePerSec' | 'routes'>}
 */
export function summariseRequests(requests, periodMs) {
  /** @type {Map<string, typeof requests>} */
  const byRoute = new Map();
  for (const request of requests) {
    const group = byRoute.get(request.route);
    if (group) group.push(request);
    else byRoute.set(request.route, [request]);
  }
  return {
    ratePerSec: requests.length / periodMs * 1000,
    routes: Object.fromEntries([...byRoute].map(([route, group]) => [route, summariseRoute(group)])),
  };
}

/**
 * @param {Parameters<typeof summariseRequests>[0]} requests at least one
 * @returns {import('../universal/feed-shapes.js').RouteSecond}
 */
function summariseRoute(requests) {
  const total = new Durations();
  const wait = new Durations();
  const use = new Durations();
  for (const { totalMs, waitMs, useMs } of requests) {
    total.record(totalMs);
    wait.record(waitMs);
    if (useMs > 0) use.record(useMs);
  }
  const { p50Ms: useP50Ms, p95Ms: useP95Ms } = use.summary();
  const { p50Ms, p95Ms, maxMs } = total.summary();
  return {
    count: requests.length,
    failures: requests.filter(({ status }) => status < 200 || status >= 400).length,
    p50Ms: Number(p50Ms), p95Ms: Number(p95Ms), maxMs: Number(maxMs), waitP95Ms: Number(wait.summary().p95Ms),
    ...(useP50Ms !== null && useP95Ms !== null && { useP50Ms, useP95Ms }),
  };
}
