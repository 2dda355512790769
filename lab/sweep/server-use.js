import { busyCores, namesLoopback, otherBusyCores, readMachine } from 'mongodb-pool-page';
import { askMonitor } from '../harness/monitor-reader.js';

/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { AttachedApp } from '../harness/attached-app.js' */

/** @typedef {Awaited<ReturnType<typeof readServer>>} ServerReadings what the server and its machine have done so far */

/** @param {AttachedApp} app with a client */
export async function readServer({ processes, signal }) {
  const process = processes.find(({ url }) => url !== undefined);
  const ask = process && askMonitor(process, (client) => client.serverLoad(signal));
  return { load: (await ask?.catch(() => null)) ?? null, machine: readMachine() };
}

/**
 * How many of its cores a server used between two readings, for a trace.
 *
 * @param {ServerReadings} before
 * @param {ServerReadings} after
 * @param {string[]} hosts of the server
 * @returns {Trace['server']} undefined where it does not tell
 */
export function describeUse(before, after, hosts) {
  const busy = before.load && after.load && busyCores(before.load, after.load);
  const cores = after.load?.cores ?? null;
  if (busy === null || cores === null) return undefined;
  const server = { cores, busyCores: Math.max(0, busy) };
  // Other programs are known on this machine alone.
  const others = hosts.every(namesLoopback) ? otherBusyCores(server, before.machine, after.machine) : null;
  return { ...server, ...(others !== null && { otherBusyCores: others }) };
}
