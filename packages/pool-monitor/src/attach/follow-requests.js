import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { HTTP_START, watchFrameworks } from './frameworks.js';
import { KnownRoutes } from './known-routes.js';

/** @import { Server, ServerResponse } from 'node:http' */
/** @import { Guard } from '../core/event-batch.js' */
/** @import { Requests } from '../core/requests.js' */

/**
 * Follows each HTTP request of the process from its arrival to its end, whatever the framework.
 *
 * @param {Requests} requests
 * @param {object} options
 * @param {Guard} options.guard
 * @param {(server: Server) => boolean} options.isOwn whether a server is the monitor's own
 * @param {boolean} options.shortRoutes see KnownRoutes
 * @returns {() => void} stops following
 */
export function followRequests(requests, { guard, isOwn, shortRoutes }) {
  const routes = new KnownRoutes({ isShort: shortRoutes });
  // The framework knows the route once it has found the handler.
  const readRoute = (/** @type {ServerResponse} */ response) => routes.name(response);
  const onHttp = guard((/** @type {any} */ { request, response, server }) => {
    if (!isOwn(server)) requests.enter(request, response, { route: readRoute, from: response });
  });

  const stopFrameworks = watchFrameworks(guard);
  subscribe(HTTP_START, onHttp);
  return () => {
    unsubscribe(HTTP_START, onHttp);
    stopFrameworks();
  };
}
