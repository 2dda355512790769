import { fileURLToPath } from 'node:url';
import { createRunSimulator, createScenarioLoad, parseServices, poolOfApp } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';

/** @import { Trip } from 'mongodb-pool-page/page/traffic-picture.js' */
/** @import { Replay } from './lesson-types.js' */

const ROOT = new URL('../../', import.meta.url);
const SERVICES = ['/slow=5000', '/fast=2'];

/**
 * @typedef {object} SimulatedAnswer what happened in a simulated run
 * @property {number} lanes
 * @property {(Omit<Trip, 'startedAtMs'> & { startedAtMs: number | null })[]} trips in the order of their arrival;
 *   times are ms after the first one; startedAtMs is null if it never had a connection
 */

/** Simulates what a lesson asks about. @param {Replay} replay @returns {Promise<SimulatedAnswer>} */
export async function simulateAnswer({ scenario, poolSize, waitQueueTimeoutMs }) {
  const load = createScenarioLoad(await readScenario(fileURLToPath(new URL(scenario, ROOT))));
  const simulateRun = createRunSimulator({ load, services: parseServices(SERVICES), keepRequests: true });
  const { records = [] } = simulateRun({ pool: poolOfApp({ poolSize, waitQueueTimeoutMs }), seed: 1, factor: 1 });
  const sorted = records.toSorted((a, b) => a.arrivedAtMs - b.arrivedAtMs);
  const [{ arrivedAtMs: firstMs }] = sorted;
  return {
    lanes: poolSize,
    trips: sorted.map(({ route, arrivedAtMs, startedAtMs, finishedAtMs, outcome }) => ({
      route,
      arrivedAtMs: arrivedAtMs - firstMs,
      startedAtMs: Number.isNaN(startedAtMs) ? null : startedAtMs - firstMs,
      finishedAtMs: finishedAtMs - firstMs,
      outcome,
    })),
  };
}

/**
 * How long somebody waited for a lane; whoever gives up has waited until then.
 * @param {SimulatedAnswer['trips'][number]} trip
 */
export function waitMsOf({ arrivedAtMs, startedAtMs, finishedAtMs }) {
  return (startedAtMs ?? finishedAtMs) - arrivedAtMs;
}

/** @param {SimulatedAnswer} answer @param {string} [wanted] route; default: any */
export function slowestMs({ trips }, wanted) {
  const ofRoute = trips.filter(({ route }) => wanted === undefined || route === wanted);
  return Math.max(...ofRoute.map(({ arrivedAtMs, finishedAtMs }) => finishedAtMs - arrivedAtMs));
}
