import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { foldIds, nameRoute, readExpressPattern } from './name-routes.js';

/** @import { IncomingMessage, Server } from 'node:http' */
/** @import { Guard } from './guard.js' */
/** @import { Requests } from '../requests.js' */

/** More names than any app has routes. An app whose paths can't be folded must not fill the memory. */
const MAX_ROUTES = 500;
const OTHER = '(other routes)';

const HTTP_START = 'http.server.request.start';
const FASTIFY_START = 'tracing:fastify.request.handler:start';

/**
 * Follows each HTTP request of the process from its arrival to its end, whatever the framework.
 *
 * @param {Requests} requests
 * @param {{ guard: Guard, isOwn: (server: Server) => boolean }} options isOwn: requests to the monitor itself
 * @returns {() => void} stops following
 */
export function followRequests(requests, { guard, isOwn }) {
  /** @type {Set<string>} */
  const names = new Set();

  /** @param {string} name */
  function keep(name) {
    if (names.has(name)) return name;
    if (names.size >= MAX_ROUTES) return OTHER;
    names.add(name);
    return name;
  }

  /** Express knows the route once it has found the handler. @param {IncomingMessage & { originalUrl?: string }} request */
  function readRoute(request) {
    const { method = 'GET', url = '/', originalUrl = url } = request;
    return keep(nameRoute(method, readExpressPattern(request) ?? foldIds(originalUrl)));
  }

  const onHttp = guard((/** @type {any} */ { request, response, server }) => {
    if (!isOwn(server)) requests.enter(request, response, { route: readRoute, from: request });
  });
  const onFastify = guard((/** @type {any} */ { request, route }) => {
    if (typeof route?.url === 'string') requests.nameCurrent(keep(nameRoute(request.method, route.url)));
  });

  subscribe(HTTP_START, onHttp);
  subscribe(FASTIFY_START, onFastify);
  return () => {
    unsubscribe(HTTP_START, onHttp);
    unsubscribe(FASTIFY_START, onFastify);
  };
}
