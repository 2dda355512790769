import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { createRandom } from 'mongodb-pool-predictor';

/** @import { Document } from 'mongodb' */

/**
 * @typedef {object} Mix what share of the operations is of each kind, in percent
 * @property {number} inserts
 * @property {number} updates
 * @property {number} deletes
 *
 * @typedef {object} MixedShape
 * @property {Mix} mix
 * @property {boolean} [hot] whether all updates change the same document
 *
 * @typedef {object} Operation
 * @property {number} number of its document
 * @property {keyof Mix} kind
 * @property {Document} entry of the oplog, without its namespace
 * @property {Document} statement of the command `insert`, `update` or `delete` that has the same effect
 *
 * @typedef {object} LiveDocument
 * @property {number} number
 * @property {ObjectId} _id
 * @property {number} tags how many it has
 * @property {boolean} hasSpare whether it has the field `spare`
 */

/** With it, a document has 1 KB. */
const TEXT_BYTES = 840;

/**
 * Random operations on documents of 1 KB with random `_id`s, always the same. Updates are $set, $push, $unset and
 * replacements in equal parts. The first operation is an insert, and this document is never deleted.
 *
 * @param {MixedShape} shape
 * @param {number} ops
 * @returns {Generator<Operation>}
 */
export function* generateOperations({ mix, hot = false }, ops) {
  const { uniform } = createRandom(1, 'mixed operations');
  const pick = (/** @type {number} */ count) => Math.floor(uniform() * count);
  /** @type {LiveDocument[]} */
  const live = [];
  let inserted = 0;
  for (let index = 0; index < ops; index++) {
    const at = uniform() * 100;
    if (live.length === 0 || at < mix.inserts) {
      const one = { number: inserted, _id: makeRandomId(inserted), tags: 2, hasSpare: true };
      inserted++;
      live.push(one);
      yield insert(one);
    } else if (at < mix.inserts + mix.updates || live.length === 1) {
      yield update(live[hot ? 0 : pick(live.length)], pick(4), index);
    } else {
      const place = 1 + pick(live.length - 1);
      const { number, _id } = live[place];
      live[place] = live[live.length - 1];
      live.pop();
      yield { number, kind: 'deletes', entry: { op: 'd', o: { _id } }, statement: { q: { _id }, limit: 1 } };
    }
  }
}

/** @param {LiveDocument} one @returns {Operation} */
function insert({ number, _id }) {
  const document = { _id, ...makeFields(number) };
  return { number, kind: 'inserts', entry: { op: 'i', o: document }, statement: document };
}

/** @param {LiveDocument} one @param {number} form @param {number} index of the operation @returns {Operation} */
function update(one, form, index) {
  const { number, _id } = one;
  const { o, u } = form === 0 ? replace(one, index) : changeSome(one, form, index);
  return { number, kind: 'updates', entry: { op: 'u', o2: { _id }, o }, statement: { q: { _id }, u } };
}

/** @param {LiveDocument} one @param {number} index @returns {{ o: Document, u: Document }} */
function replace(one, index) {
  Object.assign(one, { tags: 2, hasSpare: true });
  const u = makeFields(index);
  return { o: { _id: one._id, ...u }, u };
}

/**
 * @param {LiveDocument} one
 * @param {number} form
 * @param {number} index
 * @returns {{ o: Document, u: Document }}
 */
function changeSome(one, form, index) {
  const describe = (/** @type {Document} */ diff, /** @type {Document} */ u) => ({ o: { $v: 2, diff }, u });
  if (form === 1) return describe({ stags: { a: true, [`u${one.tags++}`]: index } }, { $push: { tags: index } });
  if (form === 2 && one.hasSpare) {
    one.hasSpare = false;
    return describe({ d: { spare: false } }, { $unset: { spare: '' } });
  }
  return describe({ u: { count: index } }, { $set: { count: index } });
}

/** @param {number} number */
function makeFields(number) {
  return {
    count: number,
    name: `document ${number}`,
    at: new Date(number),
    tags: ['one', 'two'],
    address: { street: 'High Street', number },
    spare: number,
    text: makeText(number),
  };
}

const TEXT = Array.from({ length: 100 }, (_, index) => hash(`text ${index}`).toString('base64')).join(' ');

/** @param {number} number */
function makeText(number) {
  const from = number % (TEXT.length - TEXT_BYTES);
  return TEXT.slice(from, from + TEXT_BYTES);
}

/** @param {number} number */
function makeRandomId(number) {
  return new ObjectId(hash(`id ${number}`).subarray(0, 12));
}

/** @param {string} text */
function hash(text) {
  return createHash('sha1').update(text).digest();
}

/**
 * @param {string} text percentages of inserts, updates and deletes, e.g. `60/30/10`
 * @returns {Mix}
 * @throws {Error} saying what is allowed
 */
export function parseMix(text) {
  const [inserts, updates, deletes] =
    text
      .match(/^(\d+)\/(\d+)\/(\d+)$/)
      ?.slice(1)
      .map(Number) ?? [];
  if (inserts + updates + deletes !== 100) {
    throw new Error(`"${text}" is not a mix of inserts, updates and deletes that adds up to 100 %, such as 60/30/10.`);
  }
  return { inserts, updates, deletes };
}

/** @param {Mix} mix @returns {string} as `parseMix` reads it */
export function describeMix({ inserts, updates, deletes }) {
  return `${inserts}/${updates}/${deletes}`;
}
