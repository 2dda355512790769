import { Help, Option } from 'commander';
import { orInvalid, parseText } from './option-parsers.js';

/** @import { Command } from 'commander' */
/** @import { CommandData, OptionRow } from './add-command.js' */

/** The default of an option without which a command ends. */
export const REQUIRED = Symbol('required');

/**
 * @typedef {Pick<CommandData, 'about' | 'usage' | 'arguments' | 'more' | 'typed' | 'example'> & { options?:
 *   OptionRow[], run: (...args: any[]) => void | Promise<void> }} FilledCommand
 */

/**
 * Gives a command its help, its options, and what it does.
 *
 * @param {Command} command
 * @param {FilledCommand} data
 */
export function fillCommand(command, data) {
  const { about, arguments: rows = [], options = [], example, run } = data;
  command.description(about);
  if (data.usage) command.usage(data.usage);
  for (const [term, text, parse] of rows) {
    if (parse) command.argument(term, text, orInvalid(parse));
    else command.argument(term, text);
  }
  for (const option of options) command.addOption(createOption(option));
  const typed = data.typed ?? `npx ${pathOf(command)}`;
  const line = `For example:\n  ${typed}${example ? ` ${example}` : ''}`;
  command.addHelpText('after', `${data.more ?? ''}\n${line}`).showHelpAfterError(`${line}\n(see ${typed} --help)`);
  command.action(run);
}

/** @this {Help} @param {import('commander').Option} option */
export function optionDescription(option) {
  // Nobody needs to read that a flag is off unless it is given.
  return Help.prototype.optionDescription.call(this, option).replace(' (default: false)', '');
}

/** @param {OptionRow} row */
function createOption([flags, about, parse = parseText, initial, shown]) {
  const option = new Option(flags, about);
  if (initial === REQUIRED) option.makeOptionMandatory();
  else if (initial !== undefined) option.default(initial, shown);
  if (!flags.includes('<')) return option.default(initial ?? false);
  return typeof parse === 'function' ? option.argParser(orInvalid(parse)) : option.choices(parse);
}

/** The words that lead to a command, such as `pool-lab run mixed`. @param {Command} command @returns {string} */
export function pathOf(command) {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
