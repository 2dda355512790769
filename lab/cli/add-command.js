import { Option } from 'commander';
import { orInvalid, parseText } from './option-parsers.js';
import { OPTIONS } from './options.js';
import { openOutput } from './output.js';

/** @import { Command } from 'commander' */
/** @import { Output } from './output.js' */

/** The default of an option without which a command ends. */
export const REQUIRED = Symbol('required');

/**
 * @typedef {(text: string, before?: any) => unknown} Parse throws an error that says what is allowed
 *
 * An option, as Commander takes it. `parse` may be the allowed words; by default it refuses an empty text. A flag is
 * off by default. `shown` is what the help calls the default.
 * @typedef {[flags: string, about: string, parse?: Parse | readonly string[], initial?: unknown, shown?: string]}
 *   OptionRow
 * @typedef {[name: string, about: string, parse?: Parse]} ArgumentRow
 *
 * @typedef {object} CommandData a command of `pool-lab`
 * @property {string} about
 * @property {string} [summary] for the list of commands, where that is shorter
 * @property {string} [usage]
 * @property {ArgumentRow[]} [arguments]
 * @property {(keyof typeof OPTIONS | OptionRow)[]} [options] those of the table by name, and its own
 * @property {string} [more] help below the options
 * @property {string} [example] what to type after the command, for example
 * @property {(...args: any[]) => unknown} run gets the arguments, the options and the command. What it resolves to is
 *   printed
 * @property {(result: any, output: Output) => unknown} [print] writes the result to the terminal or, with --json, as
 *   JSON too
 * @property {Record<string, CommandData>} [commands] below it, by name
 */

/**
 * Adds a command, its help and the commands below it.
 *
 * @param {Command} parent
 * @param {string} name
 * @param {CommandData} data
 * @returns {Command}
 */
export function addCommand(parent, name, data) {
  const { about, summary = about, arguments: rows = [], options = [], example, run, print, commands = {} } = data;
  const command = parent.command(name).summary(summary).description(about);
  if (data.usage) command.usage(data.usage);
  for (const [term, text, parse] of rows) {
    if (parse) command.argument(term, text, orInvalid(parse));
    else command.argument(term, text);
  }
  for (const option of options) command.addOption(createOption(typeof option === 'string' ? OPTIONS[option] : option));
  const path = pathOf(command);
  const line = `For example:\n  npx ${path}${example ? ` ${example}` : ''}`;
  command.addHelpText('after', `${data.more ?? ''}\n${line}`).showHelpAfterError(`${line}\n(see npx ${path} --help)`);
  command.action(async (...args) => {
    const result = await run(...args);
    if (print && result) await print(result, openOutput(Boolean(command.opts().json)));
  });
  for (const [each, below] of Object.entries(commands)) addCommand(command, each, below);
  return command;
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
