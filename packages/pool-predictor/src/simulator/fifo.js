/**
 * @template T
 * @typedef {object} Fifo
 * @property {() => number} size
 * @property {() => T} first the oldest item; only when size() > 0
 * @property {() => number} firstTicket
 * @property {(item: T, ticket: number) => void} push
 * @property {() => void} shift
 */

/**
 * Creates a first-in, first-out queue in a ring that doubles when full, so that a long run allocates nothing. Each item
 * has the ticket it was pushed with: if the item's ticket has changed since, it no longer waits here.
 *
 * @template T
 * @returns {Fifo<T>}
 */
export function createFifo() {
  /** @type {(T | undefined)[]} */
  let items = new Array(16).fill(undefined);
  let tickets = new Float64Array(16);
  let head = 0;
  let size = 0;

  function grow() {
    items = [...items.slice(head), ...items.slice(0, head), ...new Array(size).fill(undefined)];
    const longer = new Float64Array(size * 2);
    longer.set(tickets.subarray(head));
    longer.set(tickets.subarray(0, head), size - head);
    tickets = longer;
    head = 0;
  }

  return {
    size: () => size,
    first: () => /** @type {T} */ (items[head]),
    firstTicket: () => tickets[head],

    push(item, ticket) {
      if (size === items.length) grow();
      const tail = (head + size) & (items.length - 1);
      items[tail] = item;
      tickets[tail] = ticket;
      size++;
    },

    shift() {
      items[head] = undefined;
      head = (head + 1) & (items.length - 1);
      size--;
    },
  };
}
