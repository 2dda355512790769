/** How many holders a waiting request names. */
export const MAX_HOLDERS = 3;

/** Keeps the few longest of many, without sorting them all, and without garbage: use it again after `clear`. @template T */
export class Longest {
  /** The longest first; undefined from `count` on. @type {(T | undefined)[]} */
  items = Array.from({ length: MAX_HOLDERS });
  count = 0;
  #lengths = Array.from({ length: MAX_HOLDERS }, () => 0);

  clear() {
    if (this.count === 0) return;
    this.items.fill(undefined);
    this.count = 0;
  }

  /** @param {T} item @param {number} length */
  add(item, length) {
    let place = this.count;
    while (place > 0 && this.#lengths[place - 1] < length) place -= 1;
    if (place === MAX_HOLDERS) return;
    this.count = Math.min(this.count + 1, MAX_HOLDERS);
    for (let later = this.count - 1; later > place; later -= 1) {
      this.items[later] = this.items[later - 1];
      this.#lengths[later] = this.#lengths[later - 1];
    }
    this.items[place] = item;
    this.#lengths[place] = length;
  }
}
