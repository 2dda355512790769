import { kindOf, NOTICED_WAIT_MS } from '../universal/route-kinds.js';

/** @import { EndedRequest } from 'mongodb-pool-monitor' */
/** @import { Note } from '../universal/feed-shapes.js' */
/** @import { RouteKinds } from '../universal/route-kinds.js' */

const MAX_NOTES = 20;
/** Failures of one kind that follow each other this soon become one note, so that an outage does not fill the list. */
const SAME_OUTAGE_MS = 10_000;
const SUCCESS = 200;

/** The last Ferraris that had to wait, and the last failures: the same for each reader, whenever it comes. */
export class NoteLog {
  /** Latest first. @type {readonly Note[]} */
  #notes = [];
  /** Requests that ended since the last `collect`, by outcome and route. @type {Map<string, Omit<Note, 'atMs'>>} */
  #ended = new Map();

  get list() {
    return this.#notes;
  }

  /** @param {EndedRequest} request */
  add({ route, status, totalMs, waitMs, behind }) {
    const outcome = status >= 200 && status < 400 ? SUCCESS : status;
    if (outcome === SUCCESS && waitMs < NOTICED_WAIT_MS) return;
    const group = `${outcome} ${route}`;
    const before = this.#ended.get(group);
    if (!before && this.#ended.size === MAX_NOTES) return;
    const count = (before?.count ?? 0) + 1;
    const longest = before && before.totalMs >= totalMs ? before : { route, status: outcome, totalMs, waitMs, behind };
    this.#ended.set(group, { ...longest, count });
  }

  /**
   * Turns what has ended since the last call into notes.
   * @param {number} atMs
   * @param {() => RouteKinds} readKinds
   * @returns {boolean} whether there are new ones
   */
  collect(atMs, readKinds) {
    if (this.#ended.size === 0) return false;
    const kinds = readKinds();
    const added = [...this.#ended.values()].filter(
      ({ status, route }) => status !== SUCCESS || kindOf(kinds, route) === 'ferrari',
    );
    this.#ended.clear();
    // Successes last, so that they end up on top: waits are what the page is about.
    added.sort((a, b) => Number(a.status === SUCCESS) - Number(b.status === SUCCESS));
    for (const note of added) this.#notes = addNote(this.#notes, { ...note, atMs });
    return added.length > 0;
  }
}

/** @param {readonly Note[]} notes @param {Note} note @returns {Note[]} */
function addNote(notes, note) {
  const before = notes.find(
    ({ atMs, route, status }) =>
      status !== SUCCESS && status === note.status && route === note.route && note.atMs - atMs <= SAME_OUTAGE_MS,
  );
  if (!before) return [note, ...notes].slice(0, MAX_NOTES);
  const longest = before.totalMs > note.totalMs ? before : note;
  const sum = { ...longest, atMs: note.atMs, count: before.count + note.count };
  return [sum, ...notes.filter((each) => each !== before)];
}
