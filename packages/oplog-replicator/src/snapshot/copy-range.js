import { BsonWriter } from '../bson/bson-writer.js';
import { DUPLICATE_KEY, nameRefusal } from '../base/errors.js';
import { timestampOf } from '../source/position.js';
import { haveEmptyTimestamp, replaceStatement } from '../target/statements.js';
import { idOf } from '../target/write-batch.js';
import { forEachBatch } from './id-ranges.js';

/** @import { Deployment } from '../base/deployment.js' */
/** @import { Namespace } from '../base/namespaces.js' */
/** @import { Position } from '../source/position.js' */
/** @import { ByteBudget } from '../base/concurrency.js' */
/** @import { Target } from '../target/target.js' */
/** @import { IdRange } from './id-ranges.js' */

/** @typedef {{ bytes: number, documents: number }} CopiedAmount */

/**
 * Copies a range of a collection. The documents are of different moments, so the target is right only once the oplog
 * has been repeated from before the copy.
 *
 * @param {IdRange} range
 * @param {object} options
 * @param {Deployment} options.source
 * @param {Target} options.target
 * @param {Namespace} options.namespace on the target: its name when the copy began
 * @param {Position} options.after the source has at least executed this entry
 * @param {ByteBudget} options.budget memory that all ranges share
 * @param {AbortSignal} options.signal
 * @param {(copied: CopiedAmount) => void} options.onBatch
 */
export async function copyRange(range, { source, target, namespace, after, budget, signal, onBatch }) {
  const collection = await findName(source, namespace, range);
  // If it was dropped, the oplog says so.
  if (collection === null) return;
  const options = {
    deployment: source,
    where: { database: namespace.database, collection },
    budget,
    signal,
    find: { readConcern: { level: 'majority', afterClusterTime: timestampOf(after) } },
  };
  let isChecked = false;
  await forEachBatch(range, options, async (documents) => {
    // A rename ends an open cursor. Before the first batch there was none.
    if (!isChecked && (await findName(source, namespace, range)) !== collection) throw renamed(collection);
    isChecked = true;
    if (documents.length === 0) return;
    await insert(target, namespace, documents);
    onBatch({ bytes: documents.reduce((sum, { length }) => sum + length, 0), documents: documents.length });
  });
}

/** @param {string} collection */
function renamed(collection) {
  // QueryPlanKilled, as for an open cursor.
  return Object.assign(new Error(`${collection} was renamed while it was copied`), { code: 175 });
}

/**
 * @param {Deployment} source
 * @param {{ database: string }} namespace
 * @param {IdRange} range
 * @returns {Promise<string | null>} the collection's current name; null: it no longer exists
 */
async function findName(source, { database }, { uuid }) {
  const [found] = await source.readAll(database, { listCollections: 1, filter: { 'info.uuid': uuid } });
  return found?.name ?? null;
}

/** @param {Target} target @param {Namespace} namespace @param {Buffer[]} documents */
async function insert(target, namespace, documents) {
  // An insert would replace an empty timestamp with the current time.
  const { errors } = documents.some(haveEmptyTimestamp)
    ? await target.write(namespace, 'update', 'updates', documents.flatMap(upsertOf))
    : await target.write(namespace, 'insert', 'documents', documents);
  // Those that exist are from an earlier attempt, and at least as new as the beginning of the copy.
  const error = errors.find(({ code }) => code !== DUPLICATE_KEY);
  if (error) throw nameRefusal(`a write to ${namespace.name}`, error);
}

/** @param {Buffer} document @returns {Buffer[]} */
function upsertOf(document) {
  const statement = new BsonWriter();
  replaceStatement(statement, idOf(document), document, true);
  return statement.pieces;
}
