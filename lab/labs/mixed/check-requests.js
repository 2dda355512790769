import { QUERYLESS_PATHS } from '../../../src/load-tests/exact-times.js';

/** @import { RequestLine } from 'mongodb-pool-predictor' */

/** The paths of the demo app that a load test may use. */
const APP_PATHS = ['/slow', '/fast', ...QUERYLESS_PATHS];
const METHODS = ['get', 'head'];

/**
 * Checks that the demo app can answer every request of a scenario.
 * @param {string} file the scenario, for messages
 * @param {RequestLine[]} requests
 * @throws {Error} naming each request that would go to another host or get a 404, with its line
 */
export function checkRequests(file, requests) {
  const misfits = requests.flatMap((request) => {
    const { line, method, url } = request;
    const problem = describeProblem(request);
    return problem ? `  line ${line}: ${method.toUpperCase()} ${url} ${problem}` : [];
  });
  if (misfits.length === 0) return;
  throw new Error(
    `${file} does not fit the lab's app, which answers GET ${APP_PATHS.join(', ')}:\n${misfits.join('\n')}\n` +
      'This lab starts its own app. To measure another app, run the file with artillery directly',
  );
}

/** @param {RequestLine} request */
function describeProblem({ method, url, path }) {
  if (/^https?:/i.test(url)) return 'goes to another host: write only the path';
  // A template's value is known only while the load test runs.
  if (url.includes('{{')) return undefined;
  return METHODS.includes(method) && APP_PATHS.includes(path) ? undefined : 'does not exist';
}
