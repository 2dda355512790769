import { choosePaint } from '../base/paint.js';
import { layOutText, widthOf } from '../report/table.js';

/** @typedef {ReturnType<typeof openOutput>} Output */

/**
 * Where tables and sentences go, and facts.
 * @param {boolean} json whether stdout gets JSON, and stderr the text
 */
export function openOutput(json) {
  const stream = json ? process.stderr : process.stdout;
  const look = { width: widthOf(stream), paint: choosePaint(stream) };
  return {
    look,
    /** @param {string} text */
    layOut: (text) => layOutText(text, look.width),
    /** @param {string[]} blocks @param {object} facts what they say */
    print(blocks, facts) {
      stream.write(`${blocks.join('\n\n')}\n`);
      if (json) process.stdout.write(`${JSON.stringify(facts)}\n`);
    },
  };
}
