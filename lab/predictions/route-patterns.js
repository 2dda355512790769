/** @import { RequestLine, Slo } from 'mongodb-pool-predictor' */

/**
 * Finds the app's route for each route of a scenario: `/users/{{ id }}` and `/users/42` are both `/users/:id`.
 *
 * @param {RequestLine[]} requests of the scenario
 * @param {string[]} routes that the app was seen to have, such as `/users/:id` and `POST /users`
 * @returns {Map<string, string>} by route of the scenario, without those that the app does not have
 */
export function matchRoutes(requests, routes) {
  const patterns = routes.map(readPattern);
  return new Map(
    requests.flatMap(({ route, method, path }) => {
      if (route === undefined) return [];
      const wanted = method === 'head' ? 'GET' : method.toUpperCase();
      const parts = split(path);
      const [best] = patterns
        .filter((pattern) => pattern.method === wanted && fits(pattern.parts, parts))
        .toSorted((a, b) => rate(b.parts, parts) - rate(a.parts, parts));
      return best ? [[route, best.route]] : [];
    }),
  );
}

/** @param {string} route */
function readPattern(route) {
  const [, method = 'GET', path] = /** @type {RegExpMatchArray} */ (route.match(/^(?:([A-Z]+) )?(.*)$/));
  return { route, method, parts: split(path) };
}

/** @param {string} path */
function split(path) {
  return path.split('/').filter(Boolean);
}

/** @param {string[]} pattern @param {string[]} parts of a path, which may have templates @returns {boolean} */
function fits(pattern, parts) {
  if (pattern.length === 0) return parts.length === 0;
  const [first, ...rest] = pattern;
  // It stands for any number of parts.
  if (first.includes('*')) return true;
  if (parts.length === 0) return false;
  return (isVariable(first) || parts[0].includes('{{') || first === parts[0]) && fits(rest, parts.slice(1));
}

/** @param {string} part of a pattern */
function isVariable(part) {
  return part.includes(':');
}

/**
 * How well a pattern fits: best where the same parts are fixed in both.
 * @param {string[]} pattern
 * @param {string[]} parts
 */
function rate(pattern, parts) {
  return pattern.reduce((sum, part, index) => {
    if (part === parts[index]) return sum + 2;
    return sum + (isVariable(part) && parts[index]?.includes('{{') ? 1 : 0);
  }, 0);
}

/**
 * @param {Slo[]} slos
 * @param {RequestLine[]} requests of the scenario
 * @param {string[]} seen the app's routes that some of these have reached
 * @throws {Error} naming a goal whose route no request of the scenario can reach
 */
export function requireGoalRoutes(slos, requests, seen) {
  const known = matchRoutes(requests, seen);
  const others = requests.filter(({ route }) => !known.has(String(route)));
  const unknown = slos.find(({ route }) => !seen.includes(route) && matchRoutes(others, [route]).size === 0);
  if (!unknown) return;
  const names = new Set([...seen, ...others.flatMap(({ route }) => route ?? [])]);
  throw new Error(`"${unknown.text}": the load has no route ${unknown.route}, only ${[...names].join(', ')}`);
}
