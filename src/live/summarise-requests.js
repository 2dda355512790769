/**
 * Sum up the requests that ended within some time, by route.
 *
 * @param {Pick<import('./requests.js').EndedRequest, 'route' | 'status' | 'totalMs' | 'waitMs'>[]} requests
 * @param {number} periodMs
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

/** @param {Parameters<typeof summariseRequests>[0]} requests at least one */
function summariseRoute(requests) {
  const total = percentilesOf(requests.map(({ totalMs }) => totalMs));
  const wait = percentilesOf(requests.map(({ waitMs }) => waitMs));
  return {
    count: requests.length,
    failures: requests.filter(({ status }) => status < 200 || status >= 400).length,
    p50Ms: total(50),
    p95Ms: total(95),
    maxMs: total(100),
    waitP95Ms: wait(95),
  };
}

/**
 * @param {number[]} values at least one
 * @returns {(percent: number) => number} the smallest value that so many percent do not exceed (nearest rank)
 */
function percentilesOf(values) {
  const sorted = values.sort((a, b) => a - b);
  return (percent) => sorted[Math.ceil(sorted.length * percent / 100) - 1];
}
