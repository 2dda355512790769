/** A client keeps up to two more connections to each server, to watch it. */
export const MONITORS = 2;

/**
 * @typedef {object} Fleet
 * @property {number} instances of the app, each with a pool of its own
 * @property {number} [servers] that each instance talks to: the members of a replica set, default 1
 * @property {number} [serverLimit] connections that a server takes
 *
 * @typedef {object} FleetFacts
 * @property {number} instances
 * @property {number} servers
 * @property {number} total connections of the whole fleet when all pools are full
 * @property {number} perServer
 * @property {number | null} serverLimit
 * @property {number | null} largestPool that fits the limit
 * @property {boolean | null} fits null without a limit
 */

/**
 * What a pool size means for the servers: the driver has one pool for each server and client, beside its monitors.
 *
 * @param {Fleet} fleet
 * @param {number} poolSize
 * @returns {FleetFacts}
 */
export function compareFleet({ instances, servers = 1, serverLimit }, poolSize) {
  const perServer = instances * (poolSize + MONITORS);
  return {
    instances,
    servers,
    total: servers * perServer,
    perServer,
    serverLimit: serverLimit ?? null,
    largestPool: serverLimit === undefined ? null : Math.max(0, Math.floor(serverLimit / instances) - MONITORS),
    fits: serverLimit === undefined ? null : perServer <= serverLimit,
  };
}
