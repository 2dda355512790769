/** Times in ascending order, first in, first out: a ring that doubles when full, so that a long run allocates nothing. */
export function createTimeQueue() {
  let times = new Float64Array(16);
  let head = 0;
  let size = 0;

  function grow() {
    const longer = new Float64Array(size * 2);
    longer.set(times.subarray(head));
    longer.set(times.subarray(0, head), size - head);
    times = longer;
    head = 0;
  }

  return {
    size: () => size,

    /** @param {number} atMs */
    push(atMs) {
      if (size === times.length) grow();
      times[(head + size) & (times.length - 1)] = atMs;
      size++;
    },

    /** Removes the times up to nowMs. @param {number} nowMs */
    dropUntil(nowMs) {
      while (size > 0 && times[head] <= nowMs) {
        head = (head + 1) & (times.length - 1);
        size--;
      }
    },
  };
}
