import { Command } from 'commander';
import { wrap } from '../printable.js';
import { labs } from '../labs/index.js';
import { WIDEST_TEXT } from '../report/table.js';
import { widthOf } from './terminal-width.js';

const INDENT = '  ';

export function createListCommand() {
  return new Command('list')
    .description('list the experiments and the question each one answers')
    .action(() => {
      process.stdout.write(`${Object.values(labs).map(describeLab).join('\n\n')}\n`);
    });
}

/** @param {import('../report/result-types.js').LabView} lab */
function describeLab({ name, title, question, source }) {
  const width = Math.min(widthOf(process.stdout), WIDEST_TEXT) - INDENT.length;
  const text = `${wrap(question, width)}${source ? `\nFirst published: ${source.url}` : ''}`;
  return `${name}: ${title}\n${text.replaceAll(/^/gm, INDENT)}`;
}
