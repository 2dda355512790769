/**
 * Logs the first event of a kind at once, and then one line per period with the number of events. In an outage every
 * request fails, and one line for each would fill the disk without saying more.
 *
 * @param {number} periodMs
 * @returns {(kind: string, log: (count: number) => void) => void} the last `log` of a period is called for all of it
 */
export function createThrottle(periodMs) {
  /** @type {Map<string, { count: number, log: (count: number) => void }>} */
  const periods = new Map();

  /** @param {string} kind @param {(count: number) => void} log */
  function open(kind, log) {
    const period = { count: 0, log };
    periods.set(kind, period);
    setTimeout(() => {
      periods.delete(kind);
      if (period.count === 0) return;
      period.log(period.count);
      open(kind, period.log);
    }, periodMs).unref();
  }

  return (kind, log) => {
    const period = periods.get(kind);
    if (period) {
      period.count += 1;
      period.log = log;
    } else {
      log(1);
      open(kind, log);
    }
  };
}
