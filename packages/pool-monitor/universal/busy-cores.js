/**
 * How many cores the server kept busy between two readings.
 *
 * @param {{ atMs: number, cpuMs: number | null }} before cpuMs: processor time since the server started
 * @param {{ atMs: number, cpuMs: number | null }} after
 * @returns {number | null} null where the server does not tell
 */
export function busyCores(before, after) {
  if (before.cpuMs === null || after.cpuMs === null || after.atMs <= before.atMs) return null;
  return (after.cpuMs - before.cpuMs) / (after.atMs - before.atMs);
}
