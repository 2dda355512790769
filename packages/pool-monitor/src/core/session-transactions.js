import { MAX_KEPT } from './ring.js';

/** Numbers the transactions of a client, from its commands. */
export class SessionTransactions {
  /** Oldest first. @type {Map<string, number>} */
  #numbers = new Map();
  #last = 0;

  /** @param {import('mongodb').Document} command of a transaction @returns {number} counts from 1 */
  numberOf({ lsid, txnNumber }) {
    const key = `${lsid.id.toString('hex')} ${txnNumber}`;
    if (!this.#numbers.has(key)) this.#numbers.set(key, ++this.#last);
    if (this.#numbers.size > MAX_KEPT) this.#numbers.delete(String(this.#numbers.keys().next().value));
    return Number(this.#numbers.get(key));
  }
}
