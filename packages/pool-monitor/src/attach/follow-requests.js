import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { foldIds, nameRoute, readExpressPattern } from './name-routes.js';

/** @import { IncomingMessage, Server } from 'node:http' */
/** @import { Guard } from '../core/event-batch.js' */
/** @import { Requests } from '../core/requests.js' */

/** More names than any app has routes. An app whose paths can't be folded must not fill the memory. */
const MAX_ROUTES = 500;
const OTHER = '(other routes)';

const HTTP_START = 'http.server.request.start';
const FASTIFY_START = 'tracing:fastify.request.handler:start';

/**
 * Follows each HTTP request of the process from its arrival to its end, whatever the framework.
 *
 * @param {Requests} requests
 * @param {{ guard: Guard, isOwn: (server: Server) => boolean }} options isOwn: whether a server is the monitor's own
 * @returns {() => void} stops following
 */
export function followRequests(requests, { guard, isOwn }) {
  /** By pattern and method. Most requests need no new name. @type {Map<string, Map<string, string>>} */
  const names = new Map();
  let count = 0;

  /** @param {string} method @param {string} pattern */
  function nameOnce(method, pattern) {
    const known = names.get(pattern)?.get(method);
    if (known !== undefined) return known;
    if (count >= MAX_ROUTES) return OTHER;
    count += 1;
    const name = nameRoute(method, pattern);
    const byMethod = names.get(pattern);
    if (byMethod) byMethod.set(method, name);
    else names.set(pattern, new Map([[method, name]]));
    return name;
  }

  /**
   * Express knows the route once it has found the handler.
   * @param {IncomingMessage & { originalUrl?: string }} request
   */
  function readRoute(request) {
    const { method = 'GET', url = '/', originalUrl = url } = request;
    return nameOnce(method, readExpressPattern(request) ?? foldIds(originalUrl));
  }

  const onHttp = guard((/** @type {any} */ { request, response, server }) => {
    if (!isOwn(server)) requests.enter(request, response, { route: readRoute, from: request });
  });
  const onFastify = guard((/** @type {any} */ { request, route }) => {
    if (typeof route?.url === 'string') requests.nameCurrent(nameOnce(request.method, route.url));
  });

  subscribe(HTTP_START, onHttp);
  subscribe(FASTIFY_START, onFastify);
  return () => {
    unsubscribe(HTTP_START, onHttp);
    unsubscribe(FASTIFY_START, onFastify);
  };
}
