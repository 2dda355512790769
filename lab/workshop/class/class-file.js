import path from 'node:path';
import { makeFolder } from '../../../src/base/files.js';
import { readStored } from '../../base/read-json.js';
import { flag, listOf, mapOf, number, orNone, shape, text } from '../../base/shape.js';
import { writeAtomically } from '../../base/write-atomically.js';

/** @import { ClassState } from './class-roll.js' */

const SAVE_AFTER_MS = 200;

/** @type {import('../../base/shape.js').Check} */
const pair = (value, where) => {
  listOf(number)(value, where);
  if (value.length !== 2) throw new Error(`${where} must be a pair`);
};

const checkState = shape({
  code: text,
  startedAt: text,
  current: text,
  currentAt: number,
  revealed: listOf(text),
  asksFirst: orNone(flag),
  learners: listOf(
    shape({
      id: text,
      name: text,
      waits: orNone(flag),
      onPhone: orNone(flag),
      isHidden: orNone(flag),
      progressAt: number,
      work: mapOf(
        shape({
          guess: orNone(number),
          failed: number,
          hint: orNone(number),
          figures: orNone(shape({ measured: orNone(number), points: listOf(pair) })),
        }),
      ),
    }),
  ),
});

/**
 * @param {string} file
 * @returns {Promise<ClassState | undefined>} undefined if there is no such file
 * @throws {Error} naming the file, if it has another content
 */
export function readClass(file) {
  const problem = 'does not contain a class. To start another one: pool-lab class --new';
  return readStored(file, { check: checkState, problem });
}

/**
 * Keeps the state on disk, so that a class survives a restart. A process that is killed loses the last 0.2 s.
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
    writing = writing
      .then(async () => {
        await makeFolder(path.dirname(file));
        // The file contains the learners' ids.
        await writeAtomically(file, JSON.stringify(state), { mode: 0o600 });
      })
      .catch(onError);
    return writing;
  }

  return {
    /** Writes soon; changes that come together are written once. */
    save() {
      timer ??= setTimeout(write, SAVE_AFTER_MS);
    },
    /** Writes at once. */
    close: write,
  };
}
