import { Command } from 'commander';
import { labs } from '../labs/index.js';
import { wrap } from '../report/table.js';

const INDENT = '  ';
const WIDTH = 80 - INDENT.length;

/** `pool-lab list` */
export function createListCommand() {
  return new Command('list')
    .description('say which experiments there are, and what each asks')
    .action(() => {
      process.stdout.write(`${Object.values(labs).map(describeLab).join('\n\n')}\n`);
    });
}

/** @param {import('../report/types.js').Lab} lab */
function describeLab({ name, title, question }) {
  return `${name}: ${title}\n${wrap(question, WIDTH).replaceAll(/^/gm, INDENT)}`;
}
