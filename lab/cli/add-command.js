import { fillCommand } from './fill-command.js';
import { OPTIONS } from './options.js';
import { openOutput } from './output.js';

/** @import { Command } from 'commander' */
/** @import { Output } from './output.js' */

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
 * @property {string} [typed] what to type for the command, default `npx` and its words
 * @property {string} [example] what to type after that, for example
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
export function addCommand(parent, name, { summary, options = [], run, print, commands = {}, ...data }) {
  const command = parent.command(name).summary(summary ?? data.about);
  fillCommand(command, {
    ...data,
    options: options.map((option) => (typeof option === 'string' ? OPTIONS[option] : option)),
    async run(...args) {
      const result = await run(...args);
      if (print && result) await print(result, openOutput(Boolean(command.opts().json)));
    },
  });
  for (const [each, below] of Object.entries(commands)) addCommand(command, each, below);
  return command;
}
