/**
 * One use of a connection, or a wait for one. Its other fields are those of a trace's line.
 *
 * @typedef {object} TracedCheckout
 * @property {number} atMs
 * @property {number} [waitMs] default: 0. Whoever waits is behind holders that are unknown, unless `behind` says more
 * @property {number} [useMs]
 * @property {string} [route] its name
 * @property {number} [request] default: its place in the list, where it has a socket
 * @property {number} [socket] makes a line of the request, which lasts as long as the wait and the use
 *
 * @typedef {{ request: number, route: string, atMs: number, durationMs: number, status?: number, socket?: number,
 *   process?: number }} TracedRequest status: default 200
 */

/**
 * Makes the text of a trace that has one pool.
 *
 * @param {object} trace
 * @param {(TracedCheckout & Record<string, unknown>)[]} trace.checkouts
 * @param {TracedRequest[]} [trace.requests] lines of more requests, of the routes of checkouts
 * @param {number} [trace.poolSize] default: unknown
 * @param {object} [trace.header] more fields of the first line
 * @param {object} [trace.end] more fields of the last line
 */
export function traceText({ checkouts, requests = [], poolSize, header, end }) {
  const routes = [...new Set(checkouts.flatMap(({ route }) => (route === undefined ? [] : [route])))];
  const options = poolSize === undefined ? undefined : { maxPoolSize: { value: poolSize, from: 'code' } };
  return [
    { trace: 'mongodb-pool-lab', version: 3, ...header },
    { define: 'pool', id: 0, options },
    ...routes.map((name, id) => ({ define: 'route', id, name })),
    ...checkouts.flatMap(({ waitMs = 0, route: name, socket, ...row }, index) => {
      const { atMs, useMs = 0, request = socket === undefined ? undefined : index } = row;
      const route = name === undefined ? undefined : routes.indexOf(name);
      return [
        { waitMs, pool: 0, behind: waitMs > 0 ? [[-1, -1, -1]] : undefined, ...row, route, request },
        ...(socket === undefined ? [] : [{ request, route, atMs, durationMs: waitMs + useMs, status: 200, socket }]),
      ];
    }),
    ...requests.map(({ route, ...line }) => ({ status: 200, ...line, route: routes.indexOf(route) })),
    { end: 'closed', ...end },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}
