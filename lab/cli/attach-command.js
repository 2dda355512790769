import { toPrintable } from '../../src/base/printable.js';
import { widthOf, layOutText } from '../report/table.js';
import { attachToProcess } from '../watch/attach-to-process.js';
import { examineTarget } from '../harness/node-target.js';
import { warnOfTimeouts } from '../watch/timeout-warnings.js';
import { requireYes } from './confirm.js';
import { parseUpTo } from './option-parsers.js';
import { runUntilSignal, untilAborted } from './signals.js';

/** @import { CommandData } from './add-command.js' */
/** @import { NodeTarget } from '../harness/node-target.js' */

/** Linux has no larger process id. */
const MAX_PID = 2 ** 22;
/** Windows has no such signal. */
const SIGNAL = process.platform === 'win32' ? '' : ' (by sending it SIGUSR1, unless it is open already)';

/** @type {CommandData} */
export const command = {
  about:
    'watch the pools of a Node.js process that is already running, until Ctrl-C. It shows its plan and asks for ' +
    'confirmation',
  arguments: [['<pid>', 'process id, as ps or a task manager shows it', parseUpTo(MAX_PID)]],
  options: ['yes'],
  example: '12345',
  run: attach,
};

/** @param {number} pid @param {{ yes: boolean }} options */
async function attach(pid, { yes }) {
  const width = widthOf(process.stderr);
  await runUntilSignal(async (signal) => {
    const target = await examineTarget(pid);
    process.stderr.write(
      `${describePlan(target)
        .map((text) => layOutText(text, width))
        .join('\n')}\n`,
    );
    if (!yes) await requireYes('If that process may pause for a moment', signal);
    const attachment = await attachToProcess(target, signal);
    if (attachment.wasOpen)
      process.stderr.write(`The inspector on 127.0.0.1:${target.port} was open before, so it stays open.\n`);
    process.stderr.write(`Watching process ${pid}: ${toPrintable(attachment.url)}\nPress Ctrl-C to detach.\n`);
    warnOfTimeouts(attachment.url).then((warnings) => {
      for (const warning of warnings) process.stderr.write(`${layOutText(toPrintable(warning), width)}\n`);
    });
    await Promise.race([attachment.ended, untilAborted(signal)]);
    if (!signal.aborted) throw new Error(`Process ${pid} has ended, or the monitor in it has`);
    await attachment.detach();
    process.stderr.write(`Detached from process ${pid}.\n`);
    process.exitCode = 0;
  });
}

/** @param {NodeTarget} target @returns {string[]} paragraphs */
function describePlan({ pid, command, port }) {
  return [
    `This watches process ${pid}: ${command}`,
    `It opens the inspector of the process on 127.0.0.1:${port}${SIGNAL}, loads the monitor, waits until a ` +
      'MongoClient is used, and closes the inspector again. Until then, anyone on this machine can run code in the ' +
      'process. Loading the monitor pauses it for a few hundredths of a second.',
    'An app that is bundled into one file pauses for 0.1 to 1 s, longer with a large heap: its memory is searched. ' +
      'After that, V8 has to learn about its code again, and it may stay a quarter slower until it is restarted.',
    'Until you press Ctrl-C, the process serves a read-only page with its pools on a loopback port. ' +
      'Then all of that is removed.',
  ];
}
