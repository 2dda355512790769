/**
 * The last records, numbered from 1. Each new one is written over the oldest, so that keeping records costs no garbage.
 * @template {{ id: number }} Item
 */
export class Ring {
  /** The record with id n is at n - 1 modulo its length. @type {Item[]} */
  #items = [];
  #size;
  #create;
  /** Of the newest; 0 if there was none. */
  lastId = 0;

  /** @param {number} size @param {() => Item} create makes an empty record */
  constructor(size, create) {
    this.#size = size;
    this.#create = create;
  }

  /** The newest id among those that were written over. */
  get forgottenId() {
    return Math.max(0, this.lastId - this.#size);
  }

  /** @returns {Item} the next one, to write to */
  next() {
    const item = this.#items[this.lastId % this.#size] ??= this.#create();
    item.id = this.lastId += 1;
    return item;
  }

  /** @param {number} id */
  find(id) {
    return id > this.forgottenId ? this.#items[(id - 1) % this.#size] : undefined;
  }

  /** @param {number} id @returns {Item[]} those with a higher one, oldest first */
  after(id) {
    const items = [];
    for (let next = Math.max(id, this.forgottenId) + 1; next <= this.lastId; next += 1) items.push(this.#items[(next - 1) % this.#size]);
    return items;
  }
}
