import { BsonWriter } from './bson-writer.js';
import { ARRAY, BOOLEAN, NULL, OBJECT, readInt, walk } from './bytes.js';

/**
 * Applies an update as servers since 5.0 log it (`$v: 2`). In the diff of an object, `d` lists removed fields, `u`
 * changed ones, `i` added ones, and a name with an `s` in front holds the diff of that field. The diff of an array
 * begins with `a: true`; `l` is the new length, and `u` or `s` precede an index.
 *
 * The result is byte for byte what a secondary gets: a changed field keeps its place, and an added one goes to the end
 * even if it existed before. So a diff can be applied again to a newer version of the document, provided all later
 * diffs follow: where the document no longer fits, null stands in for what a later diff will set. The server does the
 * same:
 * https://github.com/mongodb/mongo/blob/master/src/mongo/db/update/document_diff_applier.cpp
 *
 * Alternatives: modifiers such as $set lose the order of fields, and cannot address a field whose name has a dot. An
 * aggregation pipeline needs a server of 5.0 or later, and expressions nested deeper than servers allow. The command
 * applyOps accepts diffs, but requires superuser rights and locks the entire server.
 *
 * @param {Buffer} document
 * @param {Buffer} diff
 * @returns {Buffer} the changed document
 */
export function applyDiff(document, diff) {
  const out = new BsonWriter(document.length + diff.length);
  changeObject(out, document, 0, diff, 0);
  return out.bytes;
}

/**
 * @typedef {object} Change of one field
 * @property {'remove' | 'set' | 'add' | 'diff'} kind
 * @property {number} from set, add: where the new element begins; diff: where the diff begins
 * @property {number} to
 */

/** @param {BsonWriter} out @param {Buffer} document @param {number} start @param {Buffer} diff @param {number} at */
function changeObject(out, document, start, diff, at) {
  const changes = readChanges(diff, at);
  out.document(() => {
    walk(document, start, (type, element, value, end) => {
      const name = document.toString('latin1', element + 1, value - 1);
      const change = changes.get(name);
      if (!change) {
        out.copy(document, element, end);
      } else if (change.kind === 'set') {
        out.copy(diff, change.from, change.to);
        changes.delete(name);
      } else if (change.kind === 'diff') {
        changeInner(out, name, document, type, value, diff, change.from);
      }
    });
    for (const { kind, from, to } of changes.values()) {
      if (kind === 'set' || kind === 'add') out.copy(diff, from, to);
    }
  });
}

/** @param {BsonWriter} out @param {Buffer} document @param {number} start @param {Buffer} diff @param {number} at */
function changeArray(out, document, start, diff, at) {
  const { length, changes } = readArrayChanges(diff, at);
  out.document(() => {
    let index = 0;
    walk(document, start, (type, element, value, end) => {
      if (index >= length) return true;
      const change = changes.get(index);
      if (!change) out.copy(document, element, end);
      else if (change.kind === 'set') appendAt(out, index, diff, change);
      else changeInner(out, String(index), document, type, value, diff, change.from);
      changes.delete(index);
      index++;
      return false;
    });
    // The array is shorter than the one that the diff was made for: fill up with null.
    const last = length === Infinity ? Math.max(...changes.keys()) + 1 : length;
    for (; index < last; index++) {
      const change = changes.get(index);
      if (change?.kind === 'set') appendAt(out, index, diff, change);
      else out.begin(NULL, String(index));
    }
  });
}

/**
 * Writes null if the field is no longer of the type that the diff is for.
 * @param {BsonWriter} out @param {string} name @param {Buffer} document @param {number} type @param {number} value
 * @param {Buffer} diff @param {number} at
 */
function changeInner(out, name, document, type, value, diff, at) {
  const isOfArray = isArrayDiff(diff, at);
  if (type !== (isOfArray ? ARRAY : OBJECT)) {
    out.begin(NULL, name);
    return;
  }
  out.begin(type, name);
  (isOfArray ? changeArray : changeObject)(out, document, value, diff, at);
}

/** @param {BsonWriter} out @param {number} index @param {Buffer} diff @param {Change} change */
function appendAt(out, index, diff, { from, to }) {
  // Skip the type and the name, which is u and the index.
  const name = String(index);
  out.begin(diff[from], name);
  out.copy(diff, from + name.length + 3, to);
}

/** @param {Buffer} diff @param {number} at of an object */
function readChanges(diff, at) {
  /** @type {Map<string, Change>} */
  const changes = new Map();
  walk(diff, at, (_, element, section) => {
    const name = diff.toString('latin1', element + 1, section - 1);
    if (name.startsWith('s')) {
      changes.set(name.slice(1), { kind: 'diff', from: section, to: section });
      return;
    }
    const kind = KINDS.get(name);
    if (!kind) throw unknown(name);
    walk(diff, section, (__, from, value, to) => {
      changes.set(diff.toString('latin1', from + 1, value - 1), { kind, from, to });
    });
  });
  return changes;
}

/** @type {Map<string, Change['kind']>} */
const KINDS = new Map([
  ['d', 'remove'],
  ['u', 'set'],
  ['i', 'add'],
]);

/** @param {Buffer} diff @param {number} at of an array */
function readArrayChanges(diff, at) {
  /** @type {Map<number, Change>} */
  const changes = new Map();
  let length = Infinity;
  walk(diff, at, (_, from, value, to) => {
    const name = diff.toString('latin1', from + 1, value - 1);
    if (name === 'l') length = readInt(diff, value);
    else if (name.startsWith('u')) changes.set(Number(name.slice(1)), { kind: 'set', from, to });
    else if (name.startsWith('s')) changes.set(Number(name.slice(1)), { kind: 'diff', from: value, to });
    else if (name !== 'a') throw unknown(name);
  });
  return { length, changes };
}

/** @param {Buffer} diff @param {number} at */
function isArrayDiff(diff, at) {
  return diff[at + 4] === BOOLEAN && diff.toString('latin1', at + 5, at + 7) === 'a\0';
}

/** @param {string} name */
function unknown(name) {
  return new Error(`the source logged an update in an unknown format: "${name}" in a diff`);
}
