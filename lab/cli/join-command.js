import { changeProgress } from '../workshop/lesson-progress.js';
import { REQUIRED } from './fill-command.js';
import { openWorkshop } from './open-workshop.js';
import { post } from './send-report.js';

import { parseText } from './option-parsers.js';
/** @import { CommandData } from './add-command.js' */

/** Where `pool-lab class` listens unless told otherwise. */
export const CLASS_PORT = 3300;
const OWN_CLASS = `http://127.0.0.1:${CLASS_PORT}`;

/** `pool-lab workshop join` @type {CommandData} */
export const joinCommand = {
  about:
    'join a class. From then on your guesses, figures, verdicts, and which hints you read go to it, and nothing else',
  arguments: [['<class>', 'link or code of the class, as the teacher shows it']],
  options: [
    ['--name <name>', 'your first name, up to 40 characters', parseText, REQUIRED],
    ['--at <url>', 'address of the class, if you only have its code', parseAddress, OWN_CLASS],
  ],
  example: 'http://192.168.1.5:3300/join/ABC234 --name Ada',
  run: join,
};

/** @param {string} text @param {{ name: string, at: string }} options */
async function join(text, { name, at }) {
  const link = /^https?:/.test(text)
    ? parseAddress(text)
    : new URL(`/join/${encodeURIComponent(text.toUpperCase())}`, at).href;
  const { dataDir, lessons } = await openWorkshop();
  const { status, problem, answer } = await post(`${link}/learners`, { name });
  if (status !== 201) {
    throw new Error(
      status === 0
        ? `Can't reach the class: ${problem}. Compare the link with the one on the teacher's screen. Is this laptop ` +
            'in the same network?'
        : `The class at ${link} says: ${problem}`,
    );
  }
  const membership = { url: link, learner: String(answer.learner), name: String(answer.name), unsent: [] };
  await changeProgress(dataDir, lessons, (progress) => ({ ...progress, class: membership }));
  const welcome = answer.waits ? `The teacher will let you in, ${membership.name}` : `You are in, ${membership.name}`;
  process.stdout.write(`${welcome}. Your guesses, figures and verdicts now go to the class.\n`);
}

/** `pool-lab workshop leave` @type {CommandData} */
export const leaveCommand = {
  about: 'leave the class: from then on nothing goes to it',
  async run() {
    const { dataDir, lessons } = await openWorkshop();
    let wasMember = false;
    await changeProgress(dataDir, lessons, ({ class: membership, ...progress }) => {
      wasMember = membership !== undefined;
      return progress;
    });
    process.stdout.write(wasMember ? 'You have left the class.\n' : 'You are in no class.\n');
  },
};

/** @param {string} text @returns {string} without a slash at the end */
function parseAddress(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Error('It must be a link such as http://192.168.1.5:3300/join/ABC234, or the code at its end.');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
