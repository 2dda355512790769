import { NEVER } from './event-heap.js';

/**
 * An event heap for events that differ only in their times. It has no codes and no order of events at the same time, and so
 * needs two thirds of the time.
 *
 * @returns {Pick<ReturnType<typeof import('./event-heap.js').createEventHeap>, 'push' | 'pop' | 'replace' | 'nextMs' | 'nextCode'>}
 */
export function createTimeHeap() {
  let times = new Float64Array(64);
  let size = 0;

  /** @param {number} atMs */
  function push(atMs) {
    if (size === times.length) {
      const longer = new Float64Array(size * 2);
      longer.set(times);
      times = longer;
    }
    let hole = size++;
    while (hole > 0) {
      const parent = (hole - 1) >> 2;
      if (times[parent] <= atMs) break;
      times[hole] = times[parent];
      hole = parent;
    }
    times[hole] = atMs;
  }

  /** @param {number} atMs */
  function replace(atMs) {
    let hole = 0;
    for (let first = 1; first < size; first = hole * 4 + 1) {
      const end = first + 4 < size ? first + 4 : size;
      let least = first;
      for (let child = first + 1; child < end; child++) if (times[child] < times[least]) least = child;
      if (times[least] >= atMs) break;
      times[hole] = times[least];
      hole = least;
    }
    times[hole] = atMs;
  }

  function pop() {
    size--;
    replace(times[size]);
    return 0;
  }

  return { push, pop, replace, nextMs: () => (size === 0 ? NEVER : times[0]), nextCode: () => 0 };
}
