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

  /** @param {number} atMs @param {number} code */
  function push(atMs, code) {
    if (size === capacity) grow();
    // Constants, as in pop: the engine reads a variable that other functions share again for each element.
    const [allTimes, allOrders, allCodes] = [times, orders, codes];
    let hole = size++;
    while (hole > 0) {
      const parent = (hole - 1) >> 2;
      // Of two at the same time, the one that is there came first.
      if (allTimes[parent] <= atMs) break;
      allTimes[hole] = allTimes[parent];
      allOrders[hole] = allOrders[parent];
      allCodes[hole] = allCodes[parent];
      hole = parent;
    }
    allTimes[hole] = atMs;
    allOrders[hole] = pushed++;
    allCodes[hole] = code;
  }

  function pop() {
    const [allTimes, allOrders, allCodes] = [times, orders, codes];
    const popped = allCodes[0];
    const last = --size;
    // The last event takes the place of the first, and sinks to where it belongs.
    const time = allTimes[last];
    const order = allOrders[last];
    let hole = 0;
    for (;;) {
      const first = hole * 4 + 1;
      if (first >= last) break;
      const end = first + 4 < last ? first + 4 : last;
      let least = first;
      let leastTime = allTimes[first];
      for (let child = first + 1; child < end; child++) {
        const childTime = allTimes[child];
        if (childTime > leastTime || (childTime === leastTime && allOrders[child] > allOrders[least])) continue;
        least = child;
        leastTime = childTime;
      }
      if (time < leastTime || (time === leastTime && order < allOrders[least])) break;
      allTimes[hole] = leastTime;
      allOrders[hole] = allOrders[least];
      allCodes[hole] = allCodes[least];
      hole = least;
    }
    allTimes[hole] = time;
    allOrders[hole] = order;
    allCodes[hole] = allCodes[last];
    return popped;
  }

  return { push, pop, nextMs: () => (size === 0 ? NEVER : times[0]) };
}

/** @template {Float64Array | Int32Array} T @param {T} target @param {T} source */
function copyInto(target, source) {
  target.set(source);
  return target;
}
