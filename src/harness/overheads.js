/** Of each sample. */
const MAX_VALUES = 200;

/** The next step would change the values by less than a percent. */
const STEPS = 6;

/**
 * What responses took beyond the time on their connections, where only the distribution of both is known: values that,
 * drawn independently of the times on the connections and added to them, give the responses again. Differences of equal
 * percentiles would not: the two are rarely slow together.
 *
 * @param {number[]} responsesMs
 * @param {number[]} connectionsMs wait and use
 * @returns {number[]} ascending
 */
export function findOverheads(responsesMs, connectionsMs) {
  const responses = spread(responsesMs);
  const connections = spread(connectionsMs, responses.length);
  let overheads = responses.map((ms, index) => Math.max(0, ms - connections[index]));
  for (let step = 0; step < STEPS; step++) {
    const sums = spread(connections.flatMap((connection) => overheads.map((overhead) => connection + overhead)), responses.length);
    overheads = overheads.map((ms, index) => Math.max(0, ms + responses[index] - sums[index])).sort((a, b) => a - b);
  }
  return overheads;
}

/**
 * A sample as evenly spaced percentiles.
 *
 * @param {number[]} valuesMs
 * @param {number} [count] default: as many as there are, at most 200
 * @returns {number[]} ascending
 */
export function spread(valuesMs, count = Math.min(MAX_VALUES, valuesMs.length)) {
  const sorted = Float64Array.from(valuesMs).sort();
  return Array.from({ length: count }, (_, index) => sorted[Math.floor((index + 0.5) / count * sorted.length)]);
}
