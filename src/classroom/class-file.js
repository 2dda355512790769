import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { readStored } from '../read-stored.js';
import { listOf, mapOf, number, orNone, shape, text } from '../shape.js';
import { writeAtomically } from '../write-atomically.js';

/** @import { ClassState } from './class-roll.js' */

const SAVE_AFTER_MS = 200;

/** JSON can hold 1e999. @type {import('../shape.js').Check} */
const figure = (value, where) => {
  if (!Number.isFinite(value)) throw new Error(`${where} must be a number`);
};

/** @type {import('../shape.js').Check} */
const pair = (value, where) => {
  listOf(figure)(value, where);
  if (value.length !== 2) throw new Error(`${where} must be a pair`);
};

const checkState = shape({
  code: text, startedAt: text, current: text, currentAt: number, revealed: listOf(text),
  learners: listOf(shape({
    id: text, name: text, progressAt: number,
    work: mapOf(shape({
      guess: orNone(figure), failed: number, figures: orNone(shape({ measured: orNone(figure), points: listOf(pair) })),
    })),
  })),
});

/**
 * @param {string} file
 * @returns {Promise<ClassState | undefined>} undefined if there is no such file
 * @throws {Error} naming the file, if it has another content
 */
export function readClass(file) {
  return readStored(file, { check: checkState, problem: 'does not contain a class. To start another one: pool-lab class --new' });
}

/**
 * Keeps a state on disk, so that a class survives the end of its process. A process that is killed loses what came in its
 * last moments.
 * @param {string} file its folder is created
 * @param {ClassState} state
 * @param {(error: Error) => void} onError
 */
export function createStateFile(file, state, onError) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let writing = Promise.resolve();

  function write() {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(async () => {
      await mkdir(path.dirname(file), { recursive: true });
      // It has the ids of the learners.
      await writeAtomically(file, JSON.stringify(state), { mode: 0o600 });
    }).catch(onError);
    return writing;
  }

  return {
    /** Soon; changes that come together are written once. */
    save() {
      timer ??= setTimeout(write, SAVE_AFTER_MS);
    },
    /** Now. */
    close: write,
  };
}
