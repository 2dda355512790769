import { CHECKPOINT_DATABASE } from '../base/namespaces.js';

/** @import { ObjectId } from 'mongodb' */
/** @import { Filter } from '../base/namespaces.js' */
/** @import { Target } from '../target/target.js' */
/** @import { IdRange } from './id-ranges.js' */

const COLLECTION = 'copies';
const RANGES_PER_INSERT = 1000;

/**
 * @typedef {'creating' | 'copying' | 'catching up' | 'done'} CopyPhase creating: collections are being created on the
 *   target; copying: documents; catching up: what the source has changed during the copy, then indexes
 *
 * @typedef {object} CopyState
 * @property {CopyPhase} phase
 * @property {string} filter
 * @property {number} documents how many the source had when the copy began, about
 * @property {number} bytes
 *
 * @typedef {IdRange & { isDone: boolean, bytes: number, documents: number }} StoredRange bytes and documents: copied
 *
 * @typedef {ReturnType<typeof createCopyStore>} CopyStore
 */

/**
 * The state of a copy. The target itself stores it, after the writes it covers, so an interrupted copy is noticed and
 * continued by the next process.
 *
 * @param {Target} target
 * @param {{ name: string, setId: ObjectId }} identity as for a checkpoint
 */
export function createCopyStore(target, { name, setId }) {
  const _id = { name, source: setId };
  const ofRanges = { '_id.name': name, '_id.source': setId, '_id.piece': { $exists: true } };

  /** @param {Record<string, unknown>} command */
  const run = (command) => target.writeState(COLLECTION, command);

  /** @param {Record<string, unknown>} filter */
  const find = (filter) => target.deployment.readAll(CHECKPOINT_DATABASE, { find: COLLECTION, filter });

  return {
    /** @returns {Promise<CopyState | null>} null: there was no copy */
    async read() {
      const [found] = await find({ _id });
      return found
        ? /** @type {any} */ ({ ...found, documents: Number(found.documents), bytes: Number(found.bytes) })
        : null;
    },

    /** @param {Omit<CopyState, '_id'>} state */
    write: ({ phase, filter, documents, bytes }) =>
      run({
        update: COLLECTION,
        updates: [{ q: { _id }, u: { phase, filter, documents, bytes, at: new Date() }, upsert: true }],
      }),

    /** @param {IdRange[]} ranges */
    async addRanges(ranges) {
      for (let next = 0; next < ranges.length; next += RANGES_PER_INSERT) {
        const documents = ranges.slice(next, next + RANGES_PER_INSERT).map(({ min, max, ...range }) => ({
          _id: { ..._id, piece: `${range.name} ${range.number}` },
          ...range,
          isDone: false,
          bytes: 0,
          documents: 0,
          // The driver stores undefined as null, which may be an _id.
          ...(min !== undefined && { min }),
          ...(max !== undefined && { max }),
        }));
        await run({ insert: COLLECTION, documents });
      }
    },

    /** @returns {Promise<StoredRange[]>} */
    async listRanges() {
      const found = await find(ofRanges);
      return found.map(({ name: ns, uuid, number, min, max, isCapped, meanBytes, isDone, bytes, documents }) => ({
        name: ns,
        uuid,
        min,
        max,
        isCapped,
        isDone,
        number: Number(number),
        meanBytes: Number(meanBytes),
        bytes: Number(bytes),
        documents: Number(documents),
      }));
    },

    /** @param {IdRange} range @param {{ bytes: number, documents: number }} copied */
    async finishRange(range, copied) {
      // An election could undo what only the primary has.
      await target.confirm();
      await run({
        update: COLLECTION,
        updates: [
          { q: { _id: { ..._id, piece: `${range.name} ${range.number}` } }, u: { $set: { ...copied, isDone: true } } },
        ],
      });
    },

    deleteRanges: () => run({ delete: COLLECTION, deletes: [{ q: ofRanges, limit: 0 }] }),
  };
}

/** @param {Filter} [filter] @returns {string} the same for filters that mean the same */
export function describeFilter({ include, exclude = [] } = {}) {
  return JSON.stringify({ include: include?.toSorted(), exclude: exclude.toSorted() });
}
