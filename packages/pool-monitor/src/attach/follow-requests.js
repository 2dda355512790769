import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { foldIds, nameRoute, readExpressPattern } from './name-routes.js';

/** @import { IncomingMessage, ServerResponse, Server } from 'node:http' */
/** @import { Guard } from './guard.js' */
/** @import { Requests } from '../requests.js' */

/** More names than any app has routes. An app whose paths can't be folded must not fill the memory. */
const MAX_ROUTES = 500;
const OTHER = '(other routes)';

const HTTP_START = 'http.server.request.start';
const FASTIFY_START = 'tracing:fastify.request.handler:start';

/** A request's route, which Express and Fastify know only once they have found the handler. */
class Route {
  /** @type {string | undefined} */
  #name;
  #request;
  #names;

  /** @param {IncomingMessage} request @param {Set<string>} names of all routes so far */
  constructor(request, names) {
    this.#request = request;
    this.#names = names;
  }

  get name() {
    if (this.#name !== undefined) return this.#name;
    const { method = 'GET', url = '/' } = this.#request;
    const pattern = readExpressPattern(this.#request);
    const name = this.#keep(nameRoute(method, pattern ?? foldIds(/** @type {any} */ (this.#request).originalUrl ?? url)));
    if (pattern !== undefined) this.#name = name;
    return name;
  }

  /** @param {string} pattern */
  set pattern(pattern) {
    this.#name = this.#keep(nameRoute(this.#request.method ?? 'GET', pattern));
  }

  /** @param {string} name */
  #keep(name) {
    if (this.#names.has(name)) return name;
    if (this.#names.size >= MAX_ROUTES) return OTHER;
    this.#names.add(name);
    return name;
  }
}

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
  /** @type {WeakMap<object, Route>} */
  const routes = new WeakMap();

  const onHttp = guard((/** @type {any} */ message) => {
    const { request, response, server } = /** @type {{ request: IncomingMessage, response: ServerResponse, server: Server }} */ (message);
    if (isOwn(server)) return;
    const route = new Route(request, names);
    routes.set(request, route);
    requests.enter(request, response, { route: () => route.name });
  });
  const onFastify = guard((/** @type {any} */ { request, route }) => {
    const known = routes.get(request?.raw);
    if (known && typeof route?.url === 'string') known.pattern = route.url;
  });

  subscribe(HTTP_START, onHttp);
  subscribe(FASTIFY_START, onFastify);
  return () => {
    unsubscribe(HTTP_START, onHttp);
    unsubscribe(FASTIFY_START, onFastify);
  };
}
