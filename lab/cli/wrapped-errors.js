import { toPrintable, wrap } from '../../src/base/printable.js';
import { WIDTH } from './check-task.js';

/**
 * @template {unknown[]} Args
 * @param {(...args: Args) => Promise<void>} action
 * @returns {(...args: Args) => Promise<void>} the same, with errors that fit the width of a lesson
 */
export function withWrappedErrors(action) {
  return async (...args) => {
    try {
      await action(...args);
    } catch (cause) {
      const lines = toPrintable(/** @type {Error} */ (cause).message).split('\n');
      // An indented line is a command, to be copied.
      const wrapped = lines.map((line) => (line.startsWith(' ') ? line : wrap(line, WIDTH)));
      throw new Error(wrapped.join('\n'), { cause });
    }
  };
}
