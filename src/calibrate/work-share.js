/** A share above this is all of it: the client and the network take the rest. */
const NEARLY_ALL = 0.85;
/** Smaller shares are lost in what the server does anyway. */
const NEARLY_NONE = 0.02;
/** The least slowdown that shows that queries share the server's cores. */
const MIN_SLOWDOWN = 1.2;

/**
 * The share of a query's time alone that is work for the server's cores: processor time of the server for each query, divided
 * by the query's mean time alone.
 *
 * @param {{ cpuMs: number, meanMs: number }} alone
 * @returns {number} from 0 to 1
 */
export function shareOfCpu({ cpuMs, meanMs }) {
  return roundShare(cpuMs / meanMs);
}

/**
 * The same without the server's processor time, from how much longer queries take beside others. While queries take turns on
 * the cores, work takes s times as long and a delay takes no longer (processor sharing), so a query with share w takes
 * 1 + w (s - 1) times its time alone. Nothing tells s and w apart, so s is the slowdown of the query that grows most in ms: it
 * counts as work from end to end. Then w = (loaded / alone - 1) / (s - 1). For a query of less than a few ms, w is too large: it
 * also waits for its first turn.
 *
 * @param {number[]} aloneMs median of each query
 * @param {number[]} loadedMs median of each query beside others
 * @returns {number[]} from 0 to 1; all 0 where no query takes at least 1.2 times as long
 */
export function sharesOfSlowdown(aloneMs, loadedMs) {
  const grownMs = loadedMs.map((ms, index) => ms - aloneMs[index]);
  const leader = grownMs.indexOf(Math.max(...grownMs));
  const slowdown = loadedMs[leader] / aloneMs[leader];
  if (!(slowdown >= MIN_SLOWDOWN)) return aloneMs.map(() => 0);
  return loadedMs.map((ms, index) => roundShare((ms / aloneMs[index] - 1) / (slowdown - 1)));
}

/** @param {number} share */
function roundShare(share) {
  if (!(share >= NEARLY_NONE)) return 0;
  return share > NEARLY_ALL ? 1 : Math.round(share * 1000) / 1000;
}
