import { Command } from 'commander';
import { estimateRun } from '../harness/run-lab.js';
import { labs } from '../labs/index.js';
import { explainWords, MAX_TEXT_WIDTH, widthOf } from '../report/table.js';
import { wrap } from '../../src/base/printable.js';

/** @import { AnyLab } from '../harness/run-lab.js' */

const INDENT = '  ';

export function createCommand() {
  return new Command('list')
    .description('list the experiments, the question that each one answers, and how long it takes')
    .action(async () => {
      const texts = await Promise.all(Object.values(labs).map(describeLab));
      process.stdout.write(`${texts.join('\n\n')}\n`);
    });
}

/** @param {AnyLab} lab */
async function describeLab(lab) {
  const { name, title, question, source } = lab;
  const width = Math.min(widthOf(process.stdout), MAX_TEXT_WIDTH) - INDENT.length;
  const text = [
    ...[question, ...explainWords(lab)].map((paragraph) => wrap(paragraph, width)),
    ...(source ? [`First published: ${source.url}`] : []),
  ].join('\n');
  return `${name}: ${title} (${describeDuration(await estimateRun(lab))})\n${text.replaceAll(/^/gm, INDENT)}`;
}

/** @param {number} ms */
function describeDuration(ms) {
  return ms < 60_000 ? `about ${Math.ceil(ms / 10_000) * 10} s` : `about ${Math.round(ms / 60_000)} min`;
}
