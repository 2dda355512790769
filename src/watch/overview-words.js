import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';

/** @import { Load, ProcessLoad } from './read-overview.js' */

/** The headline. @param {ProcessLoad[]} processes @param {Load} totals */
export function describeProcesses(processes, { waiting, longestWaitMs, active, max }) {
  if (processes.length === 0) return 'Waiting for the first MongoClient';
  const count = processes.length === 1 ? 'One process' : `${processes.length} processes`;
  const lanes = max === 0 ? `${active} lanes busy` : `${active} of ${max} lanes busy`;
  if (waiting === 0) return `${count}: ${lanes}, nobody waits`;
  return `${count}: ${lanes}, ${waiting === 1 ? '1 request waits, for' : `${waiting} requests wait, the longest for`} ${describeWait(longestWaitMs)}`;
}

/** What stands out, the worst first. @param {ProcessLoad[]} processes @returns {string} empty if nothing does */
export function findTrouble(processes) {
  const lost = processes.filter(({ reachable }) => !reachable);
  if (lost.length > 0) return `MongoDB is unreachable from ${lost.map(({ pid }) => `process ${pid}`).join(', ')}.`;
  const stuck = processes.find(({ deadlockRisk }) => deadlockRisk);
  if (stuck) return `In process ${stuck.pid}, a request holds a connection and waits for another: it may wait for itself.`;
  const full = processes.filter(({ waiting }) => waiting > 0);
  if (full.length === 0 || full.length === processes.length) return '';
  return `Only ${full.length} of ${processes.length} processes ${full.length === 1 ? 'has' : 'have'} a queue. `
    + 'Each process has its own pool, and none lends its free lanes.';
}

/** @param {ProcessLoad} process */
export function nameProcess({ pid, threadId, command }) {
  return `${command}, process ${pid}${threadId === 0 ? '' : `, worker ${threadId}`}`;
}

/** @param {ProcessLoad} process */
export function describeProcess({ ports, clients }) {
  return [...(ports.length > 0 ? [`port ${ports.join(', ')}`] : []), clients === 1 ? '1 client' : `${clients} clients`].join(', ');
}

/** @param {number} ms */
export function describeWait(ms) {
  return formatQuantity(ms, 'ms');
}
