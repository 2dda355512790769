/** The time of an event that does not happen, in ms. */
export const NEVER = Infinity;

/**
 * Creates a priority queue of future events: earliest first; of two at the same time, the one pushed first.
 * It is a four-way heap in typed arrays, so that pushing and popping allocate nothing. It doubles when full.
 *
 * `nextMs()` is NEVER when it is empty. An event's code is any 32-bit integer.
 */
export function createEventHeap() {
  let capacity = 256;
  let times = new Float64Array(capacity);
  let orders = new Float64Array(capacity);
  let codes = new Int32Array(capacity);
  let size = 0;
  let pushed = 0;

  function grow() {
    capacity *= 2;
    times = copyInto(new Float64Array(capacity), times);
    orders = copyInto(new Float64Array(capacity), orders);
    codes = copyInto(new Int32Array(capacity), codes);
  }

  /** @param {number} index @param {number} time @param {number} order @param {number} code */
  function set(index, time, order, code) {
    times[index] = time;
    orders[index] = order;
    codes[index] = code;
  }

  /** @param {number} time @param {number} order @param {number} other an index */
  function isBefore(time, order, other) {
    return time < times[other] || (time === times[other] && order < orders[other]);
  }

  /** @param {number} atMs @param {number} code */
  function push(atMs, code) {
    if (size === capacity) grow();
    const order = pushed++;
    let hole = size++;
    while (hole > 0) {
      const parent = (hole - 1) >> 2;
      if (!isBefore(atMs, order, parent)) break;
      set(hole, times[parent], orders[parent], codes[parent]);
      hole = parent;
    }
    set(hole, atMs, order, code);
  }

  function pop() {
    const popped = codes[0];
    size--;
    // The last event takes the place of the first, and sinks to where it belongs.
    const time = times[size];
    const order = orders[size];
    const code = codes[size];
    let hole = 0;
    for (;;) {
      const first = hole * 4 + 1;
      if (first >= size) break;
      const end = first + 4 < size ? first + 4 : size;
      let least = first;
      for (let child = first + 1; child < end; child++) {
        if (isBefore(times[child], orders[child], least)) least = child;
      }
      if (isBefore(time, order, least)) break;
      set(hole, times[least], orders[least], codes[least]);
      hole = least;
    }
    set(hole, time, order, code);
    return popped;
  }

  return { push, pop, nextMs: () => (size === 0 ? NEVER : times[0]) };
}

/** @template {Float64Array | Int32Array} T @param {T} target @param {T} source */
function copyInto(target, source) {
  target.set(source);
  return target;
}
