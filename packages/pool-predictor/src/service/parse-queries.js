import { MAX_QUERIES } from './check-service.js';
import { splitRoute } from './parse-service.js';

const ALLOWED = `write ROUTE=N with N from 1 to ${MAX_QUERIES}, such as /orders=3`;

/**
 * Parses how many queries a request of a route makes, one after another: `/orders=3`.
 *
 * @param {string[]} texts
 * @returns {Record<string, number>} by route
 * @throws {Error} naming the text that is wrong and what is allowed
 */
export function parseQueries(texts) {
  /** @type {Record<string, number>} */
  const queries = {};
  for (const text of texts) {
    const [route, value] = splitRoute(text, ALLOWED);
    const count = /^\d+$/.test(value) ? Number(value) : NaN;
    if (count === 0) throw new Error(`"${text}": write --service ${route}=none for a route that makes no query`);
    if (!(count <= MAX_QUERIES)) throw new Error(`"${text}" is not a number of queries: ${ALLOWED}`);
    if (Object.hasOwn(queries, route)) throw new Error(`${route} has two numbers of queries: give only one`);
    queries[route] = count;
  }
  return queries;
}
