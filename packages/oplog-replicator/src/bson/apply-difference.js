import { BsonWriter } from './bson-writer.js';
import { ARRAY, BOOLEAN, NULL, OBJECT, readInt, walk } from './bytes.js';

/**
 * What an update did to a document, as servers from 5.0 on log it (`$v: 2`). In the difference of an object, `d` names
 * fields that went, `u` has those that changed, `i` those that were added, and `s` before a name says that a
 * difference of the field follows. The difference of an array begins with `a: true`; `l` is its new length, and `u` and
 * `s` stand before an index.
 *
 * This does what a secondary does with it, byte for byte: a changed field stays where it is, an added one goes to the
 * end, even if it was there before. So a difference can be applied again to a document that has gone on since, as long
 * as all that followed is applied again too: where the document does not fit any more, null stands in for what a later
 * change will set. (In the server's source: src/mongo/db/update/document_diff_applier.cpp.)
 *
 * Turned into modifiers ($set, $unset) it would lose the order of fields and could not address a field whose name has
 * a dot; turned into an aggregation pipeline it would need a server of 5.0 and a depth of nested expressions that
 * servers refuse. The command applyOps takes it as it is, but demands the rights of a superuser, and locks the whole
 * server.
 *
 * @param {Buffer} document
 * @param {Buffer} difference
 * @returns {Buffer} the changed document
 */
export function applyDifference(document, difference) {
  const out = new BsonWriter(document.length + difference.length);
  changeObject(out, document, 0, difference, 0);
  return out.bytes;
}

/**
 * @typedef {object} Change of one field
 * @property {'remove' | 'set' | 'add' | 'differ'} kind
 * @property {number} from set, add: where the new element begins; differ: the difference
 * @property {number} to
 */

/** @param {BsonWriter} out @param {Buffer} document @param {number} start @param {Buffer} difference @param {number} at */
function changeObject(out, document, start, difference, at) {
  const changes = readChanges(difference, at);
  out.document(() => {
    walk(document, start, (type, element, value, end) => {
      const name = document.toString('latin1', element + 1, value - 1);
      const change = changes.get(name);
      if (!change) {
        out.copy(document, element, end);
      } else if (change.kind === 'set') {
        out.copy(difference, change.from, change.to);
        changes.delete(name);
      } else if (change.kind === 'differ') {
        changeInner(out, name, document, type, value, difference, change.from);
      }
    });
    for (const { kind, from, to } of changes.values()) {
      if (kind === 'set' || kind === 'add') out.copy(difference, from, to);
    }
  });
}

/** @param {BsonWriter} out @param {Buffer} document @param {number} start @param {Buffer} difference @param {number} at */
function changeArray(out, document, start, difference, at) {
  const { length, changes } = readArrayChanges(difference, at);
  out.document(() => {
    let index = 0;
    walk(document, start, (type, element, value, end) => {
      if (index >= length) return true;
      const change = changes.get(index);
      if (!change) out.copy(document, element, end);
      else if (change.kind === 'set') appendAt(out, index, difference, change);
      else changeInner(out, String(index), document, type, value, difference, change.from);
      changes.delete(index);
      index++;
      return false;
    });
    // It is shorter than the difference knew it: null stands for what is unknown.
    const last = length === Infinity ? Math.max(...changes.keys()) + 1 : length;
    for (; index < last; index++) {
      const change = changes.get(index);
      if (change?.kind === 'set') appendAt(out, index, difference, change);
      else out.begin(NULL, String(index));
    }
  });
}

/**
 * Apply the difference of a field, if it is of the kind of the field.
 * @param {BsonWriter} out @param {string} name @param {Buffer} document @param {number} type @param {number} value
 * @param {Buffer} difference @param {number} at
 */
function changeInner(out, name, document, type, value, difference, at) {
  const isOfArray = isArrayDifference(difference, at);
  if (type !== (isOfArray ? ARRAY : OBJECT)) {
    out.begin(NULL, name);
    return;
  }
  out.begin(type, name);
  (isOfArray ? changeArray : changeObject)(out, document, value, difference, at);
}

/** @param {BsonWriter} out @param {number} index @param {Buffer} difference @param {Change} change */
function appendAt(out, index, difference, { from, to }) {
  // The value after the name that it has in the difference, u and the index.
  const name = String(index);
  out.begin(difference[from], name);
  out.copy(difference, from + name.length + 3, to);
}

/** @param {Buffer} difference @param {number} at of an object */
function readChanges(difference, at) {
  /** @type {Map<string, Change>} */
  const changes = new Map();
  walk(difference, at, (_, element, section) => {
    const name = difference.toString('latin1', element + 1, section - 1);
    if (name.startsWith('s')) {
      changes.set(name.slice(1), { kind: 'differ', from: section, to: section });
      return;
    }
    const kind = KINDS.get(name);
    if (!kind) throw unknown(name);
    walk(difference, section, (__, from, value, to) => {
      changes.set(difference.toString('latin1', from + 1, value - 1), { kind, from, to });
    });
  });
  return changes;
}

/** @type {Map<string, Change['kind']>} */
const KINDS = new Map([['d', 'remove'], ['u', 'set'], ['i', 'add']]);

/** @param {Buffer} difference @param {number} at of an array */
function readArrayChanges(difference, at) {
  /** @type {Map<number, Change>} */
  const changes = new Map();
  let length = Infinity;
  walk(difference, at, (_, from, value, to) => {
    const name = difference.toString('latin1', from + 1, value - 1);
    if (name === 'l') length = readInt(difference, value);
    else if (name.startsWith('u')) changes.set(Number(name.slice(1)), { kind: 'set', from, to });
    else if (name.startsWith('s')) changes.set(Number(name.slice(1)), { kind: 'differ', from: value, to });
    else if (name !== 'a') throw unknown(name);
  });
  return { length, changes };
}

/** @param {Buffer} difference @param {number} at */
function isArrayDifference(difference, at) {
  return difference[at + 4] === BOOLEAN && difference.toString('latin1', at + 5, at + 7) === 'a\0';
}

/** @param {string} name */
function unknown(name) {
  return new Error(`the source logged an update in a form that is unknown: "${name}" in a difference`);
}
