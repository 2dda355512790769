/** How many holders a waiting request names. */
const MAX_HOLDERS = 3;

/** Keeps the few longest of many, without sorting them all. @template T */
export class Longest {
  /** The longest first. @type {T[]} */
  items = [];
  /** @type {number[]} */
  #lengths = [];

  /** @param {T} item @param {number} length */
  add(item, length) {
    let place = this.items.length;
    while (place > 0 && this.#lengths[place - 1] < length) place -= 1;
    if (place === MAX_HOLDERS) return;
    for (let later = Math.min(this.items.length, MAX_HOLDERS - 1); later > place; later -= 1) {
      this.items[later] = this.items[later - 1];
      this.#lengths[later] = this.#lengths[later - 1];
    }
    this.items[place] = item;
    this.#lengths[place] = length;
  }
}
