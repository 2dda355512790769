/**
 * V8 reads and writes few types fast in one place, so there are no others.
 * @typedef {Float64Array | Int32Array | Uint8Array} Values
 * @typedef {{ new (length: number): Values }} ColumnType
 * @typedef {Record<string, ColumnType>} ColumnTypes
 */

/**
 * @template {ColumnTypes} Types
 * @typedef {{ [Name in keyof Types]: InstanceType<Types[Name]> }} Columns
 */

const FIRST_CAPACITY = 1024;
/** A larger factor would leave more of the memory unused. */
const GROWTH = 1.5;

/**
 * Rows of numbers, of which more keep coming. They take no more memory than their bytes.
 * @template {ColumnTypes} Types
 */
export class ColumnTable {
  #types;
  #capacity = FIRST_CAPACITY;
  length = 0;
  /** To write to the rows. `next` replaces it. @type {Columns<Types>} */
  columns;

  /** @param {Types} types by name */
  constructor(types) {
    this.#types = types;
    this.columns = this.#create(FIRST_CAPACITY);
  }

  /** @returns {number} a row to write to */
  next() {
    if (this.length === this.#capacity) this.#grow();
    return this.length++;
  }

  /**
   * Takes the columns out. Each is freed before the next one is copied.
   * @param {Uint32Array} [order] rows, default: as they are
   * @returns {Columns<Types>}
   */
  take(order) {
    for (const name in this.#types) {
      const values = this.columns[name];
      const taken = /** @type {Values} */ (order ? new this.#types[name](this.length) : values.slice(0, this.length));
      if (order) for (let row = 0; row < order.length; row++) taken[row] = values[order[row]];
      this.columns[name] = /** @type {any} */ (taken);
    }
    return this.columns;
  }

  #grow() {
    const before = this.columns;
    this.#capacity = Math.ceil(this.#capacity * GROWTH);
    this.columns = this.#create(this.#capacity);
    for (const name in this.#types) this.columns[name].set(before[name]);
  }

  /** @param {number} capacity @returns {Columns<Types>} */
  #create(capacity) {
    return /** @type {any} */ (
      Object.fromEntries(Object.entries(this.#types).map(([name, Type]) => [name, new Type(capacity)]))
    );
  }
}
