/** @typedef {'p50Ms' | 'p90Ms' | 'p95Ms' | 'p99Ms' | 'p999Ms' | 'maxMs'} SloFigure */

/**
 * A goal for one route: a percentile of its response times must be below the limit.
 *
 * @typedef {object} Slo
 * @property {string} text such as `/fast p99 < 50 ms`
 * @property {string} route
 * @property {SloFigure} figure
 * @property {number} share of the requests: 0.99 for p99, 1 for max
 * @property {number} limitMs
 */

/** @type {Record<string, { figure: SloFigure, share: number }>} */
const PERCENTILES = {
  p50: { figure: 'p50Ms', share: 0.5 },
  p90: { figure: 'p90Ms', share: 0.9 },
  p95: { figure: 'p95Ms', share: 0.95 },
  p99: { figure: 'p99Ms', share: 0.99 },
  'p99.9': { figure: 'p999Ms', share: 0.999 },
  max: { figure: 'maxMs', share: 1 },
};

const EXAMPLE = "write it like '/fast p99 < 50ms'";

/** The percentiles below a goal's. @param {Slo} slo */
export function listEasier({ share }) {
  return Object.entries(PERCENTILES)
    .filter(([, easier]) => easier.share < share)
    .map(([name, easier]) => ({ name, share: easier.share }));
}

/**
 * Parses a goal: a route, a percentile (p50, p90, p95, p99, p99.9 or max) and a limit in ms or s.
 *
 * @param {string} text such as `/fast p99 < 50ms`
 * @returns {Slo}
 * @throws {Error} naming what is wrong, with an example
 */
export function parseSlo(text) {
  const [, route, percentile, number, unit] = /^\s*(\S.*?)\s+(\S+?)\s*<\s*([\d.]+)\s*(\S*)\s*$/.exec(text) ?? [];
  if (route === undefined) throw new Error(`"${text}" is not a goal: ${EXAMPLE}`);
  if (!Object.hasOwn(PERCENTILES, percentile)) {
    throw new Error(`"${text}": "${percentile}" is not one of ${Object.keys(PERCENTILES).join(', ')}; ${EXAMPLE}`);
  }
  if (unit !== 'ms' && unit !== 's') throw new Error(`"${text}": the limit needs a unit, ms or s; ${EXAMPLE}`);
  const limitMs = Number(number) * (unit === 's' ? 1000 : 1);
  if (!(limitMs > 0)) throw new Error(`"${text}": the limit must be a number above 0; ${EXAMPLE}`);
  return { text: `${route} ${percentile} < ${number} ${unit}`, route, ...PERCENTILES[percentile], limitMs };
}
