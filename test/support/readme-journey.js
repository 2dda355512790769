import { commandsInText, joinLines } from './commands-of.js';

/**
 * @typedef {object} Step of the section of README.md about one's own pool
 * @property {string} command in one line
 * @property {string} shows what it prints, as far as it is quoted
 */

/**
 * @param {string} readme
 * @returns {Record<'watch' | 'load' | 'record' | 'doctor' | 'advise' | 'sweep', Step>}
 */
export function readJourney(readme) {
  const [section] = readme.match(/^## Size your own pool$.+?(?=^## )/ms) ?? [''];
  /** @type {Step[]} */
  const steps = [];
  for (const [, block] of section.matchAll(/^```sh\n(.+?)^```/gms))
    for (const line of joinLines(block).trim().split('\n')) {
      if (line.startsWith('# ')) steps[steps.length - 1].shows += ` ${line.slice(2)}`;
      else steps.push({ command: line, shows: '' });
    }
  const [watch, record, doctor, advise, sweep] = steps.map(({ command, shows }) => ({ command, shows: shows.trim() }));
  const [load] = commandsInText(section).filter((command) => command.includes('artillery run'));
  return { watch, load: { command: load, shows: '' }, record, doctor, advise, sweep };
}

/**
 * What stays the same when the figures vary: without numbers and line ends, and without the best guess, which not every
 * recording allows.
 * @param {string} text
 */
export function shapeOf(text) {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ at least(?= \d)| Best guess: .*/g, '')
    .replaceAll(/\d[\d,.]*(?: m?s\b)?/g, 'N');
}
