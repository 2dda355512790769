import { NoEntryError } from '../base/errors.js';
import { comparePositions, formatPosition, positionAt, timestampOf } from './position.js';
import { createOplogEntry, readOplogEntry } from './oplog-entry.js';

/** @import { Document, Timestamp } from 'mongodb' */
/** @import { Source } from '../base/connect-deployments.js' */
/** @import { Position } from './position.js' */

const OPLOG = 'oplog.rs';
/** How long the server waits for an entry before it returns an empty batch, which is also its heartbeat. */
export const AWAIT_MS = 1000;

/** A server closes its cursor if it shows no entry from there on. */
export const CURSOR_CLOSED = 'it closed the cursor on its oplog, which has no entry from there on';

/** The first entry of every replica set. */
const FIRST_MESSAGE = 'initiating set';

/**
 * @typedef {object} OplogBatch entries of an oplog as the source sent them
 * @property {Buffer} bytes valid until the next batch is requested
 * @property {number[]} starts where each entry begins
 * @property {boolean} isFull if so, the source probably has more entries
 *
 * @typedef {object} OplogTail the end of an oplog, as it grows
 * @property {() => Promise<OplogBatch | null>} next waits for entries; after some time without any it resolves with an
 *   empty batch, and with null once the tail is closed. Throws a DeploymentError
 * @property {() => Promise<void>} close
 */

/**
 * @param {Position} from
 * @param {number} batchSize entries
 * @returns {Record<string, unknown>} the command that opens a cursor
 */
export function createFind(from, batchSize) {
  return {
    find: OPLOG,
    filter: { ts: { $gte: timestampOf(from) } },
    tailable: true,
    awaitData: true,
    batchSize,
    readConcern: { level: 'majority' },
  };
}

/**
 * @param {bigint} cursorId
 * @param {number} batchSize entries
 * @returns {Record<string, unknown>} the command for more entries
 */
export function createGetMore(cursorId, batchSize) {
  return { getMore: cursorId, collection: OPLOG, batchSize, maxTimeMS: AWAIT_MS };
}

/**
 * @param {Source} source
 * @param {1 | -1} order
 * @param {'majority' | 'local'} [level]
 * @returns {Promise<Document>}
 */
async function readEnd({ deployment }, order, level = 'majority') {
  const [entry] = await deployment.list('local', {
    find: OPLOG,
    sort: { $natural: order },
    limit: 1,
    readConcern: { level },
  });
  if (!entry) throw new NoEntryError(deployment.name, 'its oplog is empty');
  return entry;
}

/**
 * @param {Source} source
 * @param {'majority' | 'local'} [level] local: includes entries that a rollback may still remove
 * @returns {Promise<Position>} the last entry
 */
export async function findLast(source, level) {
  const { ts, t } = await readEnd(source, -1, level);
  return positionAt(ts, t);
}

/**
 * @param {Source} source
 * @returns {Promise<Position>} the last entry, which a majority has by now
 */
export async function awaitLast(source) {
  for (;;) {
    const { ts, t, o } = await readEnd(source, -1, 'local');
    const [found] = await source.deployment.list('local', {
      find: OPLOG,
      filter: { ts },
      limit: 1,
      readConcern: { level: 'majority', afterClusterTime: ts },
    });
    // Otherwise it was rolled back, or is not the last entry of its transaction.
    if (found?.t.toString() === t.toString() && !o.partialTxn) return positionAt(ts, t);
  }
}

/**
 * @param {Source} source
 * @returns {Promise<{ position: Position, isFromStart: boolean }>} the first entry, and whether the oplog still has the
 *   entire history
 */
export async function findFirst(source) {
  const { ts, t, op, o } = await readEnd(source, 1);
  return { position: positionAt(ts, t), isFromStart: op === 'n' && o.msg === FIRST_MESSAGE };
}

/**
 * @param {Source} source
 * @param {'start' | 'end' | Timestamp} from
 * @returns {Promise<Position>} apply what comes after this entry
 */
export async function findStart(source, from) {
  if (from === 'end') return findLast(source);
  if (from !== 'start') return positionAt(from);
  const { position } = await findFirst(source);
  // Just before the first entry, which is applied too.
  return { ...position, increment: position.increment - 1, term: 0 };
}

/**
 * @param {Source} source
 * @param {Position} from
 * @param {OplogBatch} batch the first one read from there
 * @throws {Error} when the oplog no longer has all entries after `from`; NoEntryError when it does not have them yet
 */
export async function assertReachesBack(source, from, batch) {
  if (batch.starts.length > 0) {
    const first = createOplogEntry();
    readOplogEntry(first, batch.bytes, batch.starts[0]);
    if (isNext(from, first.position) || isSame(from, first.position)) return;
  }
  await assertStillHas(source, from);
  // Without a term, `from` is a time, and there need not be an entry.
  if (from.term === 0) return;
  const checkpoint = `the entry at ${formatPosition(from)} of the checkpoint`;
  // Not yet, if it has just started: it has to learn first what a majority has.
  if (batch.starts.length === 0)
    throw new NoEntryError(
      source.deployment.name,
      `its oplog ends before ${checkpoint}: it lost it, or this is another source`,
    );
  throw new Error(
    `the oplog of ${source.deployment.name} does not have ${checkpoint}: it was rolled back, or this is another source`,
  );
}

/**
 * @param {Source} source
 * @param {Position} from
 * @throws {Error} when the oplog has already dropped entries after `from`
 */
export async function assertStillHas(source, from) {
  const { position: oldest } = await findFirst(source);
  if (comparePositions(oldest, from) <= 0) return;
  throw new Error(
    `the oplog of ${source.deployment.name} no longer reaches back to ${formatPosition(from)}: it begins ` +
      `at ${formatPosition(oldest)}. Copy the data again, or give the source a larger oplog`,
  );
}

/** @param {Position} from @param {Position} first */
function isSame(from, first) {
  return comparePositions(from, first) === 0 && (from.term === 0 || from.term === first.term);
}

/** @param {Position} from @param {Position} first */
function isNext(from, first) {
  return from.seconds === first.seconds && from.increment + 1 === first.increment;
}
