/**
 * Who had the connections that others waited for: "2 × find articles of /report".
 *
 * @param {{ count: number, route: string | null, operation: string | null }[]} groups
 */
export function describeHolders(groups) {
  return groups
    .map(({ count, route, operation }) => {
      const name = operation === null ? nameRoute(route) : `${operation} of ${nameRoute(route)}`;
      return count === 1 ? name : `${count} × ${name}`;
    })
    .join(' and ');
}

/** The route of work outside of requests. */
export const OUTSIDE = 'the app itself';

/** @param {string | null} route */
export function nameRoute(route) {
  return route ?? OUTSIDE;
}

/** Such as `/report (find articles)`. @param {{ route: string | null, operation?: string | null }} holder */
export function nameHolder({ route, operation = null }) {
  return operation === null ? nameRoute(route) : `${nameRoute(route)} (${operation})`;
}
