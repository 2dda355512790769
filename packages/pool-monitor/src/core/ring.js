/** How many of the last records of each kind are kept. */
export const MAX_KEPT = 10_000;

/**
 * Numbers records from 1, and says which row of its owner's columns each is in. A new record overwrites the oldest.
 * Unlike ten thousand objects, columns cost the garbage collector nothing.
 */
export class Ring {
  #size;
  /** The id of the newest; 0 if there was none. */
  lastId = 0;

  /** @param {number} [size] */
  constructor(size = MAX_KEPT) {
    this.#size = size;
  }

  /** The newest id among those that were overwritten. */
  get forgottenId() {
    return Math.max(0, this.lastId - this.#size);
  }

  /** Counts the records after an id that were overwritten. @param {number} after */
  countForgotten(after) {
    return Math.max(0, this.forgottenId - after);
  }

  /** @returns {number} the row for the next record */
  next() {
    this.lastId += 1;
    return this.rowOf(this.lastId);
  }

  /** @param {number} id of a record that is not forgotten */
  rowOf(id) {
    return (id - 1) % this.#size;
  }

  /** @param {number} id @yields {number} the higher ones that are not forgotten, oldest first */
  *idsAfter(id) {
    for (let next = Math.max(id, this.forgottenId) + 1; next <= this.lastId; next += 1) yield next;
  }
}
