import { MONITORS } from '../base/monitors.js';

/**
 * @typedef {object} Fleet
 * @property {number} instances of the app, each with its own pool
 * @property {number} [servers] that each instance connects to: the members of a replica set, default 1
 * @property {number} [serverLimit] connections that each server accepts
 *
 * @typedef {object} FleetFacts
 * @property {number} instances
 * @property {number} servers
 * @property {number} monitors connections of each instance to each server, outside the pool
 * @property {number} total connections of the fleet when all pools are full, monitors included
 * @property {number} perServer
 * @property {number | null} serverLimit
 * @property {number | null} largestPool that fits the limit; 0 when none fits; null without a limit
 * @property {boolean | null} fits null without a limit
 */

/**
 * Counts the connections of all instances. The driver has one pool for each server, and monitors outside the pools.
 *
 * @param {Fleet} fleet
 * @param {number} poolSize of all clients of one instance together
 * @param {number} [clients] of each instance, default 1: each has monitors of its own
 * @returns {FleetFacts}
 */
export function compareFleet({ instances, servers = 1, serverLimit }, poolSize, clients = 1) {
  const monitors = MONITORS * clients;
  const perServer = instances * (poolSize + monitors);
  return {
    instances,
    servers,
    monitors,
    total: servers * perServer,
    perServer,
    serverLimit: serverLimit ?? null,
    largestPool: serverLimit === undefined ? null : Math.max(0, Math.floor(serverLimit / instances) - monitors),
    fits: serverLimit === undefined ? null : perServer <= serverLimit,
  };
}
