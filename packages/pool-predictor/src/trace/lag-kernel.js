/** Times closer than this, in ms, count as equal, because traces are written in whole microseconds. */
export const SAME_MS = 0.005;

const FIRST_EDGE_MS = 0.1;
const EDGE_RATIO = 1.25;
const MAX_LAG_MS = 60_000;
const ITERATIONS = 20;
/** Starts per ms that follow nothing. Where all seem to follow something, a likelihood still needs a rate above 0. */
export const MIN_RATE = 1e-9;
/** A bin counts if it has this many standard deviations more starts than expected by chance. */
const MIN_DEVIATIONS = 3;

/**
 * Lists bins for lags. Each is a quarter longer than the one before it, because only the order of magnitude of a think
 * time matters.
 *
 * @param {number} durationMs of the observation; lags longer than a third of it are too rare
 * @returns {number[]} ascending, from 0 on
 */
export function listEdges(durationMs) {
  const edges = [0];
  for (let edgeMs = FIRST_EDGE_MS; edgeMs < Math.min(durationMs / 3, MAX_LAG_MS); edgeMs *= EDGE_RATIO)
    edges.push(edgeMs);
  return edges;
}

/**
 * How starts follow earlier events. At each moment the rate of starts is a constant plus a contribution of each earlier
 * event, which depends on the time since then. Both are fitted by maximum likelihood, with expectation maximisation.
 * For earthquakes this is model-independent stochastic declustering: D. Marsan and O. Lengliné (2008),
 * https://doi.org/10.1126/science.1148783
 *
 * @typedef {object} LagKernel
 * @property {number} openPerMs rate of the starts that follow nothing
 * @property {Float64Array[]} followers by set of events and bin of the lag: how many starts follow one event in it
 * @property {number} share of the starts that follow an event
 * @property {number} gain log-likelihood, in nats, above that of a constant rate alone; never below 0
 */

/**
 * @param {object} events
 * @param {ArrayLike<number>} events.startsMs ascending
 * @param {ArrayLike<number>} events.ownMs the event of each start itself, which the start can't follow
 * @param {number} [events.ownSet] to which set those belong, default 0
 * @param {ArrayLike<number>[]} events.eventSets each ascending; each set has its own lags
 * @param {number} events.durationMs starts were observed from 0 until then
 * @param {number[]} edges of the bins
 * @returns {LagKernel}
 */
export function fitLagKernel({ startsMs, ownMs, ownSet = 0, eventSets, durationMs }, edges) {
  const perSet = edges.length - 1;
  const bins = perSet * eventSets.length;
  const { length } = startsMs;
  const counts = new Float32Array(length * bins);
  eventSets.forEach((eventsMs, set) => {
    countLags(startsMs, eventsMs, edges, (start, bin, count) => {
      counts[start * bins + set * perSet + bin] = count;
    });
  });
  for (let start = 0; start < length; start++) {
    if (ownMs[start] <= startsMs[start] + SAME_MS) counts[start * bins + ownSet * perSet]--;
  }
  const exposures = Float64Array.from({ length: bins }, (_, bin) =>
    sumExposure(eventSets[Math.floor(bin / perSet)], durationMs, edges[bin % perSet], edges[(bin % perSet) + 1]),
  );
  let openPerMs = length / durationMs / 2;
  const ratesPerMs = exposures.map((ms) => (ms > 0 ? length / 2 / bins / ms : 0));
  const expected = new Float64Array(bins);
  const pairs = new Float64Array(bins);
  counts.forEach((count, place) => {
    pairs[place % bins] += count;
  });
  function dropChance() {
    ratesPerMs.forEach((rate, bin) => {
      if (rate * exposures[bin] < MIN_DEVIATIONS * Math.sqrt(pairs[bin])) ratesPerMs[bin] = 0;
    });
  }
  let followed = 0;
  const startRates = new Float64Array(length);
  for (let iteration = 0; iteration < 2 * ITERATIONS; iteration++) {
    if (iteration === ITERATIONS) dropChance();
    expected.fill(0);
    followed = 0;
    for (let start = 0; start < length; start++) {
      const from = start * bins;
      let ratePerMs = openPerMs;
      for (let bin = 0; bin < bins; bin++) ratePerMs += counts[from + bin] * ratesPerMs[bin];
      followed += 1 - openPerMs / ratePerMs;
      startRates[start] = ratePerMs;
      for (let bin = 0; bin < bins; bin++) expected[bin] += counts[from + bin] / ratePerMs;
    }
    openPerMs = Math.max(MIN_RATE, (length - followed) / durationMs);
    for (let bin = 0; bin < bins; bin++)
      ratesPerMs[bin] = exposures[bin] > 0 ? (ratesPerMs[bin] * expected[bin]) / exposures[bin] : 0;
  }
  const followers = eventSets.map((_, set) =>
    ratesPerMs.slice(set * perSet, (set + 1) * perSet).map((rate, bin) => rate * (edges[bin + 1] - edges[bin])),
  );
  const gain = startRates.reduce((sum, ratePerMs) => sum + Math.log((ratePerMs * durationMs) / length), 0);
  return { openPerMs, followers, share: followed / length, gain };
}

/**
 * @param {ArrayLike<number>} startsMs
 * @param {ArrayLike<number>} eventsMs
 * @param {number[]} edges
 * @param {(start: number, bin: number, count: number) => void} onCount count: of the events that were that long ago
 */
function countLags(startsMs, eventsMs, edges, onCount) {
  /** By edge: the number of events at least that long ago. */
  const before = new Uint32Array(edges.length);
  for (let start = 0; start < startsMs.length; start++) {
    for (let edge = 0; edge < edges.length; edge++) {
      const untilMs = startsMs[start] - edges[edge] + SAME_MS;
      while (before[edge] < eventsMs.length && eventsMs[before[edge]] <= untilMs) before[edge]++;
      if (edge > 0) onCount(start, edge - 1, before[edge - 1] - before[edge]);
    }
  }
}

/**
 * @param {ArrayLike<number>} eventsMs
 * @param {number} durationMs
 * @param {number} fromMs
 * @param {number} toMs
 */
function sumExposure(eventsMs, durationMs, fromMs, toMs) {
  let sumMs = 0;
  for (let event = 0; event < eventsMs.length; event++) {
    sumMs += Math.max(0, Math.min(toMs, durationMs - eventsMs[event]) - fromMs);
  }
  return sumMs;
}
