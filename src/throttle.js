/**
 * Say something at once, and then no more than once in a period, with how often it has happened since: an outage fails
 * every request, and one line for each would tell no more, but fill the disk.
 *
 * @param {number} periodMs
 * @returns {(kind: string, say: (count: number) => void) => void} what counts together has one `kind`; the last `say`
 *   of a period speaks for all of it
 */
export function createThrottle(periodMs) {
  /** @type {Map<string, { count: number, say: (count: number) => void }>} */
  const periods = new Map();

  /** @param {string} kind @param {(count: number) => void} say */
  function open(kind, say) {
    const period = { count: 0, say };
    periods.set(kind, period);
    setTimeout(() => {
      periods.delete(kind);
      if (period.count === 0) return;
      period.say(period.count);
      open(kind, period.say);
    }, periodMs).unref();
  }

  return (kind, say) => {
    const period = periods.get(kind);
    if (period) {
      period.count += 1;
      period.say = say;
    } else {
      say(1);
      open(kind, say);
    }
  };
}
