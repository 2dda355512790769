/** So many routes hold connections longest; the others wait. */
const HOLDERS = 2;

/**
 * @typedef {{ route: string, count: number, useP50Ms?: number, waitP95Ms?: number }} RouteUse of a second, or of a run
 */

/**
 * Ranks routes: the two that hold connections longest, all their requests together, and then those that wait longest.
 *
 * @param {RouteUse[]} uses a route may have several
 * @param {string[]} [others] routes that may have none
 * @returns {string[]}
 */
export function rankRoutes(uses, others = []) {
  const totals = new Map(others.map((name) => [name, { heldMs: 0, waitMs: 0 }]));
  for (const { route, count, useP50Ms = 0, waitP95Ms = 0 } of uses) {
    const { heldMs, waitMs } = totals.get(route) ?? { heldMs: 0, waitMs: 0 };
    // Among routes without a query, the number of requests decides.
    totals.set(route, { heldMs: heldMs + count * (useP50Ms + 1e-6), waitMs: Math.max(waitMs, waitP95Ms) });
  }
  const byUse = [...totals].sort(([, a], [, b]) => b.heldMs - a.heldMs);
  const byWait = byUse.slice(HOLDERS).sort(([, a], [, b]) => b.waitMs - a.waitMs);
  return [...byUse.slice(0, HOLDERS), ...byWait].map(([name]) => name);
}
