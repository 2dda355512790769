import { findId, walk } from '../bson/bytes.js';
import { keyOfId } from '../bson/id-key.js';
import { haveEmptyTimestamp } from './statements.js';
import { idOf, listDocuments } from './write-batch.js';
import { applyDiff } from '../bson/apply-diff.js';

/** @import { OperationKind, WriteBatch } from './write-batch.js' */

const DOLLAR = 36;
const NOWHERE = -1;
const DIFF = 'diff\0';

/**
 * @typedef {'replacement' | 'diff' | 'modifiers'} UpdateForm of an update. diff: `{ $v: 2, diff }`, from servers since
 *   5.0; modifiers: `{ $v: 1, $set }`, from older ones
 */

/** @param {Buffer} change the `o` of an update @returns {UpdateForm} */
function formOf(change) {
  if (isReplacement(change)) return 'replacement';
  return findDiff(change) === NOWHERE ? 'modifiers' : 'diff';
}

/**
 * @param {Buffer | undefined} document undefined if it does not exist
 * @param {Buffer} change the `o` of an update: a replacement or a diff
 * @returns {Buffer | undefined} the changed document
 */
export function changeDocument(document, change) {
  if (isReplacement(change)) return change;
  return document && applyDiff(document, change.subarray(findDiff(change)));
}

/** A replacement begins with its _id, anything else with a $. @param {Buffer} change */
function isReplacement(change) {
  return change[5] !== DOLLAR;
}

/** @param {Buffer} change */
function findDiff(change) {
  let found = NOWHERE;
  walk(change, 0, (_, element, value) => {
    if (value - element === DIFF.length + 1 && change.toString('latin1', element + 1, value) === DIFF) found = value;
  });
  return found;
}

/** A larger document is not changed here: each change would copy it. */
const MAX_CHANGED_BYTES = 64 << 10;

/**
 * @typedef {object} DocumentInsert
 * @property {string} key of its `_id`
 * @property {Buffer} document
 *
 * @typedef {object} Update
 * @property {string} key of its `_id`
 * @property {Buffer} id `{ _id }`
 * @property {UpdateForm} form
 * @property {Buffer} change
 * @property {boolean} upsert
 *
 * @typedef {object} WriteStep what one command of each kind writes, in this order
 * @property {DocumentInsert[]} inserts
 * @property {Update[]} updates
 * @property {Buffer[]} deletes `{ _id }`
 *
 * @typedef {object} LoggedOperation
 * @property {OperationKind} kind
 * @property {string} key
 * @property {Buffer} first the document of an insert, else `{ _id }`
 * @property {Buffer} [change] of an update
 *
 * @typedef {object} DocumentOutcome of the operations on one document
 * @property {DocumentInsert | null} insert
 * @property {Update[]} updates after the insert, if there is one
 * @property {Buffer | null} deleted
 */

/**
 * Reduces a batch to the last state of each document. Operations on different documents may change
 * places, unless the order of the collection matters; those on the same document are merged, or keep their order.
 *
 * @param {WriteBatch} batch
 * @returns {WriteStep[]} to be written one after another; nearly always one, unless the order matters
 */
export function mergeOperations(batch) {
  const operations = listOperations(batch);
  return batch.namespace.constraints?.inOrder ? splitByKind(operations) : mergeByDocument(operations);
}

/** @param {WriteBatch} batch @returns {LoggedOperation[]} */
function listOperations({ kinds, documents: written }) {
  const documents = listDocuments(written);
  let next = 0;
  return kinds.map((kind) => {
    const first = documents[next++];
    const key = keyOfId(first, kind === 'insert' ? findId(first, 0) : 4);
    return kind === 'update' ? { kind, key, first, change: documents[next++] } : { kind, key, first };
  });
}

/** @returns {WriteStep} */
function createStep() {
  return { inserts: [], updates: [], deletes: [] };
}

/** @param {LoggedOperation[]} operations @returns {WriteStep[]} */
function splitByKind(operations) {
  /** @type {WriteStep[]} */
  const steps = [];
  /** @type {OperationKind | undefined} */
  let last;
  for (const operation of operations) {
    const { kind, key, first } = operation;
    const isPut = kind === 'insert' && haveEmptyTimestamp(first);
    const writtenAs = isPut ? 'update' : kind;
    if (writtenAs !== last) steps.push(createStep());
    last = writtenAs;
    const { inserts, updates, deletes } = steps[steps.length - 1];
    if (last === 'insert') inserts.push({ key, document: first });
    else if (last === 'delete') deletes.push(first);
    else updates.push(isPut ? createPut(key, first) : createUpdate(operation));
  }
  return steps;
}

/** @param {LoggedOperation[]} operations @returns {WriteStep[]} */
function mergeByDocument(operations) {
  /** @type {Map<string, DocumentOutcome>} */
  let outcomes = new Map();
  const all = [outcomes];
  for (const operation of operations) {
    const { kind, key } = operation;
    let outcome = outcomes.get(key);
    if (kind === 'update' && outcome?.deleted) {
      // No source does this. Written after the delete, it is reported as an update of a missing document.
      outcomes = new Map();
      all.push(outcomes);
      outcome = undefined;
    }
    if (!outcome) {
      outcome = { insert: null, updates: [], deleted: null };
      outcomes.set(key, outcome);
      if (kind === 'insert') outcome.insert = { key, document: operation.first };
      else if (kind === 'update') outcome.updates.push(createUpdate(operation));
      else outcome.deleted = operation.first;
    } else if (kind === 'insert') {
      // It exists on the target: it was deleted before.
      Object.assign(outcome, { insert: null, updates: [createPut(key, operation.first)], deleted: null });
    } else if (kind === 'delete') {
      Object.assign(outcome, { insert: null, updates: [], deleted: operation.first });
    } else {
      addUpdate(outcome, createUpdate(operation));
    }
  }
  return all.map(createStepOf);
}

/** @param {DocumentOutcome} outcome @param {Update} update */
function addUpdate(outcome, update) {
  const { insert, updates } = outcome;
  const last = updates[updates.length - 1];
  const { form, change } = update;
  if (form === 'replacement') {
    if (insert) {
      insert.document = change;
      outcome.updates = [];
    } else {
      outcome.updates = [{ ...update, upsert: updates.some(({ upsert }) => upsert) }];
    }
    return;
  }
  const known = last ? last.form === 'replacement' && last.change : insert?.document;
  const changed = known && form === 'diff' && known.length <= MAX_CHANGED_BYTES && changeDocument(known, change);
  if (!changed) updates.push(update);
  else if (last) last.change = changed;
  else if (insert) insert.document = changed;
}

/** @param {LoggedOperation} operation an update @returns {Update} */
function createUpdate({ key, first, change = first }) {
  return { key, id: first, form: formOf(change), change, upsert: false };
}

/** @param {string} key @param {Buffer} document @returns {Update} */
export function createPut(key, document) {
  return { key, id: idOf(document), form: 'replacement', change: document, upsert: true };
}

/** @param {Map<string, DocumentOutcome>} outcomes */
function createStepOf(outcomes) {
  const step = createStep();
  for (const { insert, updates, deleted } of outcomes.values()) {
    if (insert && haveEmptyTimestamp(insert.document)) step.updates.push(createPut(insert.key, insert.document));
    else if (insert) step.inserts.push(insert);
    if (updates.length > 0) step.updates.push(...updates);
    if (deleted) step.deletes.push(deleted);
  }
  return step;
}
