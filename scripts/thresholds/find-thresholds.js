import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * @typedef {object} Threshold a number in the value of a constant with a name in capitals
 * @property {string} file from the root
 * @property {string} name of the constant; of one with several numbers, and which: `MAX_BUSY_SHARE 2`
 * @property {string} value as it is written
 * @property {number} start of the value in the file
 */

/** One line, with numbers alone: one, a list, or an object of them. */
const CONSTANT =
  /^(?:export )?const (\[?[A-Z][A-Z0-9_, ]*\]?) = (?:\/\*\* @type \{const\} \*\/ \()?([^'`"()]*?\d[^'`"();]*)\)?;/gm;
const NUMBER = /(?<![\w.])\d[\d_.]*(?:e-?\d+)?(?: \/ \d+)?(?![\w.])/g;

/** Constants with more numbers are scales, and no thresholds. */
const MAX_NUMBERS = 4;
/** A share above this is moved by less. */
const [LARGE_SHARE, MOVE, SMALL_MOVE] = [0.7, 0.3, 0.2];

/** @param {string} folder from the root @returns {Promise<Threshold[]>} */
export async function findThresholds(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.js')).sort();
  const lists = await Promise.all(
    files.map(async (name) => {
      const file = path.posix.join(folder, name.replaceAll(path.sep, '/'));
      return thresholdsOf(file, await readFile(file, 'utf8'));
    }),
  );
  return lists.flat();
}

/** @param {string} file @param {string} text @returns {Threshold[]} */
function thresholdsOf(file, text) {
  return [...text.matchAll(CONSTANT)].flatMap(({ 0: whole, 1: names, 2: values, index: from }) => {
    const at = Number(from) + whole.lastIndexOf(values);
    const numbers = [...values.matchAll(NUMBER)];
    if (numbers.length > MAX_NUMBERS) return [];
    const each = names.startsWith('[') ? names.slice(1, -1).split(', ') : undefined;
    return numbers.map(([value], index) => ({
      file,
      name: each?.[index] ?? (numbers.length > 1 ? `${names} ${index + 1}` : names),
      value,
      start: at + Number(numbers[index].index),
    }));
  });
}

/**
 * @param {string} text of the file
 * @param {Threshold} threshold
 * @param {'up' | 'down'} direction
 */
export function moveThreshold(text, { name, value, start }, direction) {
  return text.slice(0, start) + moveValue(value, direction, name.endsWith('_MS')) + text.slice(start + value.length);
}

/**
 * @param {string} written
 * @param {'up' | 'down'} direction
 * @param {boolean} isTime a count stays a whole number, a time need not
 */
function moveValue(written, direction, isTime) {
  const [over, under = 1] = written.replaceAll('_', '').split(' / ').map(Number);
  const value = over / under;
  const share = value > LARGE_SHARE && value < 1 ? SMALL_MOVE : MOVE;
  const moved = value * (direction === 'up' ? 1 + share : 1 - share);
  if (isTime || !Number.isInteger(value)) return moved;
  return direction === 'up' ? Math.max(value + 1, Math.round(moved)) : Math.min(value - 1, Math.round(moved));
}
