import { quantile } from 'mongodb-pool-predictor';

/**
 * Sum up the requests that ended within some time, by route.
 *
 * @param {Pick<import('../http/requests.js').EndedRequest, 'route' | 'status' | 'totalMs' | 'waitMs'>[]} requests
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
  const totalsMs = requests.map(({ totalMs }) => totalMs);
  return {
    count: requests.length,
    failures: requests.filter(({ status }) => status < 200 || status >= 400).length,
    p50Ms: quantile(totalsMs, 0.5),
    p95Ms: quantile(totalsMs, 0.95),
    maxMs: quantile(totalsMs, 1),
    waitP95Ms: quantile(requests.map(({ waitMs }) => waitMs), 0.95),
  };
}
