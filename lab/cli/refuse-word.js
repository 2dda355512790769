import { pathOf } from './fill-command.js';
import { findNearest } from './nearest-word.js';

/** @import { Command } from 'commander' */

/** Words that people try, and the commands that do it. @type {Record<string, string>} */
const MEANT = {
  list: 'npx pool-lab run, which lists the experiments, or npx pool-lab workshop, which lists the lessons',
  lessons: 'npx pool-lab workshop',
  experiments: 'npx pool-lab run',
  demo: 'npx pool-lab run mixed',
};

/**
 * Ends a command line with a word that is no command, and says what may have been meant: also a command of another one,
 * as in `pool-lab mixed`.
 *
 * @param {Command} command that got the word
 * @param {string} word
 * @param {string} [problem]
 * @returns {never}
 */
export function refuseWord(command, word, problem = `unknown command '${word}'`) {
  const own = listBelow(command);
  const all = [...own, ...listBelow(rootOf(command)).filter((each) => !own.includes(each))];
  const nearest = findNearest(word, [...all.map((each) => each.name()), ...Object.keys(MEANT)]);
  const found = all.find((each) => each.name() === nearest);
  const meant = found ? `npx ${pathOf(found)}` : MEANT[String(nearest)];
  // Another example beside it would distract.
  if (meant) command.showHelpAfterError(`(see npx ${pathOf(command)} --help)`);
  return command.error(`error: ${problem}${meant ? `\n(Did you mean ${meant}?)` : ''}`, {
    code: 'commander.unknownCommand',
  });
}

/** @param {Command} command @returns {Command} */
function rootOf(command) {
  return command.parent ? rootOf(command.parent) : command;
}

/** Its commands, then theirs. @param {Command} command @returns {Command[]} */
function listBelow({ commands }) {
  return [...commands, ...commands.flatMap(listBelow)];
}
