import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/**
 * @typedef {object} Terminal
 * @property {NodeJS.ReadableStream} input
 * @property {NodeJS.WritableStream} output
 * @property {AbortSignal} signal
 * @property {() => void} [onInterrupt] on a terminal, readline takes Ctrl-C before the process sees it
 */

/**
 * Asks a person.
 *
 * @param {string} question
 * @param {Terminal} terminal
 * @returns {Promise<string>} '' at the end of the input
 * @throws what `signal` was aborted with
 */
export async function ask(
  question,
  { input, output, signal, onInterrupt = () => process.kill(process.pid, 'SIGINT') },
) {
  const lines = createInterface({ input, output });
  lines.on('SIGINT', onInterrupt);
  const closed = once(lines, 'close').then(() => '');
  try {
    return (await Promise.race([lines.question(`${question} `, { signal }), closed])).trim();
  } catch (error) {
    signal.throwIfAborted();
    // The end of the input, on a terminal Ctrl-D.
    if (/** @type {Error} */ (error).name === 'AbortError') return '';
    throw error;
  } finally {
    lines.close();
  }
}

/**
 * @param {string} question that can be answered with y or yes; anything else means no, and so does the end of the input
 * @param {Terminal} terminal
 */
export async function confirm(question, terminal) {
  return /^y(es)?$/i.test(await ask(`${question} [y/N]`, terminal));
}

/**
 * Asks on the terminal whether to go on.
 *
 * @param {string} condition for `--yes`, such as "If this server may get that load"
 * @param {AbortSignal} signal
 * @throws {Error} unless a person agrees
 */
export async function requireYes(condition, signal) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new Error(`Nothing was done: there is no terminal to ask on. ${condition}, add --yes.`);
  }
  if (!(await confirm('Go on?', { input: process.stdin, output: process.stderr, signal })))
    throw new Error('Nothing was done.');
}
