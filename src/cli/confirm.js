import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/**
 * Asks a person.
 *
 * @param {string} question that can be answered with y or yes; anything else means no, and so does the end of the input
 * @param {{ input: NodeJS.ReadableStream, output: NodeJS.WritableStream, signal: AbortSignal, onInterrupt?: () => void }} options
 *   onInterrupt: on a terminal, readline takes Ctrl-C before the process sees it
 * @returns {Promise<boolean>}
 * @throws what `signal` was aborted with
 */
export async function confirm(question, { input, output, signal, onInterrupt = () => process.kill(process.pid, 'SIGINT') }) {
  const lines = createInterface({ input, output });
  lines.on('SIGINT', onInterrupt);
  const closed = once(lines, 'close').then(() => '');
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    signal.throwIfAborted();
    // The end of the input, on a terminal Ctrl-D.
    if (/** @type {Error} */ (error).name === 'AbortError') return false;
    throw error;
  } finally {
    lines.close();
  }
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
  if (!await confirm('Go on?', { input: process.stdin, output: process.stderr, signal })) throw new Error('Nothing was done.');
}
