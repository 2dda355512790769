import { Command } from 'commander';
import { WIDEST_TEXT } from '../report/table.js';
import { escapeControls, wrap } from '../printable.js';
import { attachToProcess } from '../watch/attach-to-process.js';
import { examineTarget } from '../watch/node-target.js';
import { requireYes } from './confirm.js';
import { parseUpTo } from './option-parsers.js';
import { abortOnSignal } from './signals.js';
import { widthOf } from './terminal-width.js';

/** @import { NodeTarget } from '../watch/node-target.js' */

/** Linux has no larger process id. */
const MAX_PID = 2 ** 22;

/** `pool-lab attach PID` */
export function createAttachCommand() {
  return new Command('attach')
    .description("watch the pools of a Node.js process that already runs, until Ctrl-C. It says what it will do, and asks")
    .argument('<pid>', 'process id', parseUpTo(MAX_PID))
    .option('--yes', 'do not ask', false)
    .action(attach);
}

/** @param {number} pid @param {{ yes: boolean }} options */
async function attach(pid, { yes }) {
  const { signal, release } = abortOnSignal();
  const width = Math.min(widthOf(process.stderr), WIDEST_TEXT);
  try {
    const target = await examineTarget(pid);
    process.stderr.write(`${describePlan(target).map((text) => wrap(escapeControls(text), width)).join('\n')}\n`);
    if (!yes) await requireYes('If that process may pause for a moment', signal);
    const attachment = await attachToProcess(target, signal);
    process.stderr.write(`Watching process ${pid}: ${attachment.url}\nPress Ctrl-C to detach.\n`);
    const end = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await Promise.race([attachment.ended, end]);
    if (!signal.aborted) throw new Error(`Process ${pid} has ended, or the monitor in it has`);
    await attachment.detach();
    process.stderr.write(`Detached from process ${pid}.\n`);
    process.exitCode = 0;
  } finally {
    release();
  }
}

/** @param {NodeTarget} target @returns {string[]} paragraphs */
function describePlan({ pid, command, port }) {
  return [
    `This watches process ${pid}: ${command}`,
    `It opens the inspector of the process on 127.0.0.1:${port}, loads the monitor, waits until a MongoClient is used, and closes `
      + 'the inspector again. That pauses the process for some hundredths of a second.',
    'An app that is bundled into one file pauses for 0.1 to 1 s, longer with a large heap: its memory is searched. After that, '
      + 'V8 has to learn about its code again, and it may stay a quarter slower until it is restarted.',
    'Until you press Ctrl-C, the process serves a read-only page with its pools on a loopback port. Then all of that is removed.',
  ];
}
