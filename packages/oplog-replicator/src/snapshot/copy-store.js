import { CHECKPOINT_DATABASE } from '../namespaces.js';

/** @import { ObjectId } from 'mongodb' */
/** @import { Filter } from '../namespaces.js' */
/** @import { Target } from '../target/target.js' */
/** @import { Piece } from './pieces.js' */

const COLLECTION = 'copies';
const PIECES_AT_ONCE = 1000;

/**
 * @typedef {'creating' | 'copying' | 'catching up' | 'done'} Phase of a copy. creating: collections are being created on the
 *   target; copying: documents; catching up: what the source has changed during the copy, then indexes
 *
 * @typedef {object} CopyState
 * @property {Phase} phase
 * @property {string} filter
 * @property {number} documents how many the source had when the copy began, about
 * @property {number} bytes
 *
 * @typedef {Piece & { isDone: boolean, bytes: number, documents: number }} StoredPiece bytes and documents: copied
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
  const ofPieces = { '_id.name': name, '_id.source': setId, '_id.piece': { $exists: true } };

  /** @param {Record<string, unknown>} command */
  async function run(command) {
    const what = `a write to ${CHECKPOINT_DATABASE}.${COLLECTION}`;
    const { writeErrors } = await target.runWrite(CHECKPOINT_DATABASE, command, what);
    if (writeErrors) throw new Error(`the target refused ${what}: ${writeErrors[0].errmsg}`);
  }

  /** @param {Record<string, unknown>} filter */
  const find = (filter) => target.end.readAll(CHECKPOINT_DATABASE, { find: COLLECTION, filter });

  return {
    /** @returns {Promise<CopyState | null>} null: there was no copy */
    async read() {
      const [found] = await find({ _id });
      return found ? /** @type {any} */ ({ ...found, documents: Number(found.documents), bytes: Number(found.bytes) }) : null;
    },

    /** @param {Omit<CopyState, '_id'>} state */
    write: ({ phase, filter, documents, bytes }) => run({
      update: COLLECTION, updates: [{ q: { _id }, u: { phase, filter, documents, bytes, at: new Date() }, upsert: true }],
    }),

    /** @param {Piece[]} pieces */
    async addPieces(pieces) {
      for (let next = 0; next < pieces.length; next += PIECES_AT_ONCE) {
        const documents = pieces.slice(next, next + PIECES_AT_ONCE).map(({ min, max, ...piece }) => ({
          _id: { ..._id, piece: `${piece.name} ${piece.number}` }, ...piece, isDone: false, bytes: 0, documents: 0,
          // The driver stores undefined as null, which may be an _id.
          ...min !== undefined && { min }, ...max !== undefined && { max },
        }));
        await run({ insert: COLLECTION, documents });
      }
    },

    /** @returns {Promise<StoredPiece[]>} */
    async listPieces() {
      const found = await find(ofPieces);
      return found.map(({ name: ns, uuid, number, min, max, isCapped, meanBytes, isDone, bytes, documents }) => ({
        name: ns, uuid, min, max, isCapped, isDone, number: Number(number), meanBytes: Number(meanBytes),
        bytes: Number(bytes), documents: Number(documents),
      }));
    },

    /** @param {Piece} piece @param {{ bytes: number, documents: number }} copied */
    async finishPiece(piece, copied) {
      // An election could undo what only the primary has.
      await target.confirm();
      await run({
        update: COLLECTION,
        updates: [{ q: { _id: { ..._id, piece: `${piece.name} ${piece.number}` } }, u: { $set: { ...copied, isDone: true } } }],
      });
    },

    deletePieces: () => run({ delete: COLLECTION, deletes: [{ q: ofPieces, limit: 0 }] }),
  };
}

/** @param {Filter} [filter] @returns {string} the same for filters that mean the same */
export function describeFilter({ include, exclude = [] } = {}) {
  return JSON.stringify({ include: include?.toSorted(), exclude: exclude.toSorted() });
}
