import { DUPLICATE_KEY, explainRefusal, nameRefusal } from '../base/errors.js';
import { CHECKPOINT_DATABASE } from '../base/namespaces.js';

/** @import { Document, ObjectId } from 'mongodb' */
/** @import { Deployment } from '../base/deployment.js' */
/** @import { LeaseHolder, StoredLease } from './lease.js' */

const COLLECTION = 'leases';
/** No election or crash may undo that a process took over. */
const SAFE = { w: 'majority', j: true };
/** A target that went silent must not delay the end of a replication for longer. */
const MAX_REMOVE_MS = 2000;

/**
 * @typedef {object} LeaseStore
 * @property {string} name of the target
 * @property {() => Promise<{ version: number | null, holders: StoredLease[], now: Date }>} read now: by the target's
 *   clock
 * @property {(version: number | null, change: { remove: string[], add: LeaseHolder }) => Promise<boolean>} replace
 *   false: it has another version by now
 * @property {(id: string) => Promise<boolean>} beat false: this holder is no longer there
 * @property {(id: string) => Promise<void>} remove
 */

/**
 * The replicators that write to a target from one source, in one document, so that a change is atomic.
 *
 * @param {Deployment} target
 * @param {ObjectId} setId of the source's replica set
 * @returns {LeaseStore}
 */
export function createLeaseStore(target, setId) {
  const _id = { source: setId };

  /** @param {Document} command @param {{ writeConcern?: Document, signal?: AbortSignal }} [options] */
  async function run(command, { writeConcern = { w: 1 }, signal } = {}) {
    const what = `a write to ${CHECKPOINT_DATABASE}.${COLLECTION}`;
    const answer = await target
      .command(CHECKPOINT_DATABASE, { ...command, writeConcern }, { signal })
      .catch((error) => {
        throw explainRefusal(error, what);
      });
    const error = answer.writeErrors?.[0] ?? answer.writeConcernError;
    if (error) throw nameRefusal(what, error);
    return answer.n > 0;
  }

  /** @param {Document} update @param {Parameters<typeof run>[1]} [options] */
  const update = (update, options) => run({ update: COLLECTION, updates: [update] }, options);

  return {
    name: target.name,

    async read() {
      const [found] = await target.list(CHECKPOINT_DATABASE, { find: COLLECTION, filter: { _id }, limit: 1 });
      const { localTime: now } = await target.reach();
      return { version: found?.version ?? null, holders: found?.holders ?? [], now };
    },

    async replace(version, { remove, add }) {
      const others = {
        $filter: { input: { $ifNull: ['$holders', []] }, cond: { $not: { $in: ['$$this.id', remove] } } },
      };
      const own = { $mergeObjects: [{ $literal: add }, { since: '$$NOW', beatAt: '$$NOW' }] };
      const u = [{ $set: { version: (version ?? 0) + 1, holders: { $concatArrays: [others, [own]] } } }];
      try {
        return await update({ q: { _id, version }, u, upsert: version === null }, { writeConcern: SAFE });
      } catch (error) {
        if (/** @type {any} */ (error).code !== DUPLICATE_KEY) throw error;
        return false;
      }
    },

    beat: (id) => update({ q: { _id, 'holders.id': id }, u: { $currentDate: { 'holders.$.beatAt': true } } }),

    async remove(id) {
      const signal = AbortSignal.timeout(MAX_REMOVE_MS);
      await update({ q: { _id }, u: { $pull: { holders: { id } }, $inc: { version: 1 } } }, { signal });
      await run({ delete: COLLECTION, deletes: [{ q: { _id, holders: [] }, limit: 1 }] }, { signal });
    },
  };
}
