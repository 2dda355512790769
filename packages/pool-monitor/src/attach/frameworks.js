import Module from 'node:module';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { findHonoContext } from './hono-context.js';
import { replaceMethod } from './replace-method.js';
import { watchModules } from './watch-modules.js';

/** @import { Guard } from '../core/event-batch.js' */

/** Node.js publishes each request there before the app gets it. */
export const HTTP_START = 'http.server.request.start';
const FASTIFY_CREATED = 'fastify.initialization';
const FASTIFY_START = 'tracing:fastify.request.handler:start';
/** Since this version, Fastify says itself when a handler starts. */
const FASTIFY_TRACING = 5;
const KOA_FILE = /(?:^|[\\/])koa(?:[\\/]lib[\\/]application\.js)?$/;
const HAPI_FILE = /[\\/]@hapi[\\/]hapi[\\/]lib[\\/]request\.js$/;

/** What a framework made of a request. It knows the route. */
const MADE = Symbol('mongodb-pool-monitor.made');
/** Next.js keeps it there. */
const NEXT = Symbol.for('NextInternalRequestMeta');

/**
 * Remembers what frameworks make of each request, where the request itself does not lead there: Koa, hapi, Fastify and
 * Hono.
 *
 * @param {Guard} guard
 * @returns {() => void} ends it
 */
export function watchFrameworks(guard) {
  /** Restores what was patched, by object. @type {Map<object, () => void>} */
  const restorers = new Map();

  /** @param {any} target @param {string} method makes something of a request @param {number} place of that argument */
  function watchMaker(target, method, place) {
    if (restorers.has(target)) return;
    const restore = replaceMethod(
      target,
      method,
      (original) =>
        /** @this {unknown} */
        function make() {
          const made = Reflect.apply(original, this, arguments);
          keep(arguments[place], made);
          return made;
        },
    );
    restorers.set(target, restore);
  }

  const keepHono = guard((/** @type {any} */ { env }, /** @type {unknown} */ made) => keep(env?.incoming, made));

  /** @param {any} prototype of Hono's contexts */
  function watchHono(prototype) {
    if (restorers.has(prototype)) return;
    const property = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, 'req'));
    const { get } = property;
    Object.defineProperty(prototype, 'req', {
      ...property,
      get() {
        const made = get?.call(this);
        keepHono(this, made);
        return made;
      },
    });
    restorers.set(prototype, () => Object.defineProperty(prototype, 'req', property));
  }

  /** @type {WeakSet<object>} */
  const servers = new WeakSet();
  const onHttp = guard((/** @type {any} */ { server }) => {
    if (servers.has(server)) return;
    servers.add(server);
    for (const listener of server.listeners('request')) {
      const prototype = findHonoContext(listener);
      if (prototype) watchHono(prototype);
    }
  });

  const checkModule = guard((/** @type {string} */ request, /** @type {any} */ exports) => {
    if (typeof exports !== 'function') return;
    if (KOA_FILE.test(request) && typeof exports.prototype?.createContext === 'function')
      watchMaker(exports.prototype, 'createContext', 0);
    else if ((request === './request' || HAPI_FILE.test(request)) && exports.prototype?._execute && exports.generate)
      watchMaker(exports, 'generate', 1);
  });

  const onFastify = guard((/** @type {any} */ { fastify }) => {
    if (Number.parseInt(fastify.version, 10) >= FASTIFY_TRACING) return;
    fastify.addHook('onRequest', (/** @type {any} */ request, /** @type {any} */ reply, /** @type {any} */ done) => {
      keep(request.raw, request);
      done();
    });
  });
  const onFastifyStart = guard((/** @type {any} */ { request }) => keep(request.raw, request));

  for (const [file, { exports }] of Object.entries(/** @type {any} */ (Module)._cache)) checkModule(file, exports);
  const stopModules = watchModules(checkModule);
  subscribe(HTTP_START, onHttp);
  subscribe(FASTIFY_CREATED, onFastify);
  subscribe(FASTIFY_START, onFastifyStart);
  return () => {
    stopModules();
    unsubscribe(HTTP_START, onHttp);
    unsubscribe(FASTIFY_CREATED, onFastify);
    unsubscribe(FASTIFY_START, onFastifyStart);
    for (const restore of restorers.values()) restore();
  };
}

/** @param {any} request @param {unknown} made */
function keep(request, made) {
  if (request) request[MADE] = made;
}

/**
 * @param {any} request of node:http
 * @returns {string | undefined} the pattern of the route that matched, in any framework but Express
 */
export function readFrameworkPattern(request) {
  const made = request[MADE];
  const pattern = made ? readPattern(made) : request[NEXT]?.match?.definition?.pathname;
  return typeof pattern === 'string' ? pattern : undefined;
}

/** @param {any} made */
function readPattern(made) {
  // Koa's router.
  if ('_matchedRoute' in made) return made._matchedRoute;
  // Hono.
  if ('routeIndex' in made) return made.matchedRoutes?.[made.routeIndex]?.path;
  // Fastify since 4.10, where `context` would warn.
  if ('routeOptions' in made) return made.routeOptions.url;
  // Fastify before that, and hapi.
  return made.context?.config?.url ?? made.route?.path;
}

/** @param {any} request of node:http @returns {unknown} the parsed body, in any framework but Express */
export function readFrameworkBody(request) {
  const made = request[MADE];
  if (!made) return undefined;
  // Koa's own `body` is that of the response.
  return made.request ? made.request.body : (made.payload ?? made.body);
}
