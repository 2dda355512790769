import { DATABASE } from '../../mongo/demo-data.js';

/** @import { Collection, MongoClient } from 'mongodb' */

/** @typedef {{ _id: number, updates: number, entries: { name: string, score: number }[] }} Board */

/** The control spreads the same updates over so many documents. */
const BOARDS = 64;

/**
 * One document that everybody updates. Two updates at once conflict: one of them wins, and the server throws away the work of
 * the other and tries again. The document is a leaderboard, so that an update takes long enough to meet another: it inserts a
 * score, sorts the board and cuts it off.
 * @type {import('./causes.js').Cause}
 */
export const hotDocument = {
  label: 'hot document',
  control: `${BOARDS} documents`,
  async prepare({ client, collection, options: { entries } }) {
    await boardsOf(client, collection).insertMany(Array.from({ length: BOARDS }, (_, _id) => createBoard(_id, entries)));
    /** @param {MongoClient} own @param {boolean} isControl */
    const createHeavy = (own, isControl) => {
      const boards = boardsOf(own, collection);
      let turn = 0;
      return () => update(boards, isControl ? turn++ % BOARDS : 0, entries);
    };
    return { createHeavy };
  },
};

/** @param {MongoClient} client @param {string} collection @returns {Collection<Board>} */
function boardsOf(client, collection) {
  return client.db(DATABASE).collection(collection);
}

/** @param {number} _id @param {number} entries @returns {Board} */
function createBoard(_id, entries) {
  return { _id, updates: 0, entries: Array.from({ length: entries }, (_, place) => createEntry(entries - place)) };
}

/** @param {number} score */
function createEntry(score) {
  return { name: `player ${score}`, score };
}

/** @param {Collection<Board>} boards @param {number} _id @param {number} entries */
async function update(boards, _id, entries) {
  const entry = createEntry(Math.floor(Math.random() * entries));
  await boards.updateOne({ _id }, {
    $inc: { updates: 1 },
    $push: { entries: { $each: [entry], $sort: { score: -1 }, $slice: entries } },
  });
}
