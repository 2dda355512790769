/** @import { RequestLine } from 'mongodb-pool-predictor' */

/** What a load test can ask of the lab's app. */
export const APP_PATHS = ['/slow', '/fast', '/', '/livez', '/readyz', '/pool', '/pool/checkouts', '/metrics'];
const METHODS = ['get', 'head'];

/**
 * Whether the lab's app can answer every request of a scenario, which was perhaps written for another app.
 *
 * @param {string} file the scenario, for messages
 * @param {RequestLine[]} requests
 * @throws {Error} naming, with its line, each request that would leave this app or be answered with 404
 */
export function checkRequests(file, requests) {
  const strangers = requests.flatMap((request) => {
    const { line, method, url } = request;
    const problem = describeProblem(request);
    return problem ? `  line ${line}: ${method.toUpperCase()} ${url} ${problem}` : [];
  });
  if (strangers.length === 0) return;
  throw new Error(`${file} does not fit the lab's app, which answers GET ${APP_PATHS.join(', ')}:\n${strangers.join('\n')}\n`
    + 'This lab starts an app of its own. To measure another app, run the file with artillery itself');
}

/** @param {RequestLine} request */
function describeProblem({ method, url, route }) {
  if (/^https?:/i.test(url)) return 'goes to a host of its own: write the path alone';
  // What a template becomes is known only while the load test runs.
  if (url.includes('{{')) return undefined;
  return METHODS.includes(method) && APP_PATHS.includes(route) ? undefined : 'is not there';
}
