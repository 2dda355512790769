import path from 'node:path';
import { isLoopback } from 'mongodb-pool-page';
import { countOf } from 'mongodb-pool-page/universal/quantity.js';
import { createStateFile, readClass } from '../workshop/class/class-file.js';
import { createRoll, openState } from '../workshop/class/class-roll.js';
import { listAddresses, openClass, ownAddress } from '../workshop/class/class-server.js';
import { listClassLessons } from '../workshop/class/list-class-lessons.js';
import { renderRoom } from '../workshop/class/room-page.js';
import { writeCard } from '../workshop/card.js';
import { renderSheet } from '../workshop/class/sheet-page.js';
import { describeBusyPort } from '../../src/http/listen.js';
import { createToken } from '../../src/base/random-token.js';
import { createLogger } from '../../src/base/logger.js';
import { requireWritable, writeAtomically } from '../base/write-atomically.js';
import { findDataFolder } from './open-workshop.js';
import { CLASS_PORT } from './join-command.js';
import { parseText, parsePort, parseUpTo } from './option-parsers.js';
import { runUntilSignal, untilAborted } from './signals.js';

/** @import { CommandData } from './add-command.js' */
/** @import { ClassLesson, ClassState } from '../workshop/class/class-roll.js' */
/**
 * @typedef {{ host: string, port: number, token?: string, stuckAfter: number, share: number, new: boolean, out: string,
 *   sheet?: string }} ClassOptions
 */

const MAX_MINUTES = 600;
const ALL_ADDRESSES = '0.0.0.0';

/** @type {CommandData} */
export const command = {
  about: 'open a class on this laptop: learners join with a code, and one page shows their guesses and measurements',
  options: [
    [
      '--host <address>',
      "address to listen on; 0.0.0.0 is the room's network, and needs --token",
      parseText,
      '127.0.0.1',
    ],
    ['--port <n>', '0 picks a free one', parsePort, CLASS_PORT],
    ['--token <word>', "for the teacher's page: at least 16 characters: letters, digits, - or _", parseToken],
    [
      '--stuck-after <minutes>',
      'minutes without progress before a learner is shown as stuck',
      parseUpTo(MAX_MINUTES),
      5,
    ],
    [
      '--share <percent>',
      'of the places, joins per minute and open pages that one address may take; ' +
        '100 for a large class behind one router',
      parseUpTo(100),
      50,
    ],
    ['--new', 'start another class, and forget the last one'],
    ['--sheet <file>', 'only write a sheet for learners, to print'],
    ['--out <file>', "where to write the room's result at the end", parseText, 'class.html'],
  ],
  run: openClassroom,
};

/** @param {ClassOptions} options */
async function openClassroom({ host, port, token, stuckAfter, share, new: isNew, out, sheet }) {
  if (sheet !== undefined) {
    await writeAtomically(sheet, renderSheet(await listClassLessons(), await writeCard()));
    process.stdout.write(`Sheet: ${sheet}\n`);
    return;
  }
  if (!isLoopback(host) && token === undefined) {
    throw new Error(
      `--host ${host} opens the class to the network, so your page needs a token. For example:\n` +
        `  --token ${createToken()}`,
    );
  }
  const lessons = await listClassLessons();
  const file = path.join(await findDataFolder(), 'class.json');
  await requireWritable(out, '--out');
  const stored = isNew ? undefined : await readClass(file);
  const state = keepKnown(stored ?? openState(lessons), lessons);
  const stateFile = createStateFile(file, state, (error) => process.stderr.write(`${error.message}\n`));
  /** @type {() => void} */
  let change = () => {};
  const roll = createRoll(state, lessons, () => {
    stateFile.save();
    change();
  });
  await runUntilSignal(async (signal) => {
    const room = await openClass(roll, {
      lessons,
      host,
      port,
      token,
      stuckAfterMs: stuckAfter * 60_000,
      share,
      log: createLogger('warn'),
    }).catch(({ cause }) => {
      throw new Error(
        cause.code === 'EADDRINUSE'
          ? describeBusyPort(`--port ${port}`, host)
          : `--host ${host} --port ${port}: can't listen there (${cause.message}).\n` +
              `Choose an address of this machine: 127.0.0.1, ${listAddresses(ALL_ADDRESSES).join(', ')}; ` +
              `${ALL_ADDRESSES} is all of them`,
        { cause },
      );
    });
    ({ change } = room);
    // Not before: another class may be using the port, and the file.
    await stateFile.close();
    process.stdout.write(`${describeClass(state, { host, url: room.url, token, isStored: stored !== undefined })}\n`);
    await untilAborted(signal);
    await room.close();
    await stateFile.close();
    if (state.learners.length > 0) {
      await writeAtomically(out, renderRoom(state, lessons)).catch((cause) => {
        throw new Error(`The room's result is not saved: ${cause.message}`, { cause });
      });
      process.stdout.write(`The room's result: ${out}\n`);
    }
    process.exitCode = 0;
  });
}

/** A stored class may have been held with other lessons. @param {ClassState} state @param {ClassLesson[]} lessons */
function keepKnown(state, lessons) {
  return lessons.some(({ name }) => name === state.current) ? state : { ...state, current: lessons[0].name };
}

/**
 * @param {ClassState} state
 * @param {{ host: string, url: string, token?: string, isStored: boolean }} options
 */
function describeClass({ code, learners, startedAt }, { host, url, token, isStored }) {
  const { port } = new URL(url);
  const count = countOf(learners.length, 'learner', 'learners');
  return [
    isStored && `Continuing the class of ${startedAt.slice(0, 10)} (${count}). --new starts another one.`,
    `Your page, for the projector: http://${ownAddress(host)}:${port}/${token ? `#token=${token}` : ''}`,
    ...listAddresses(host).map((address) => `Learners join at: http://${address}:${port}/join/${code}`),
    isLoopback(host) && `Only this machine can join. To let the room in: --host 0.0.0.0 --token WORD`,
    'Press Ctrl-C to end the class. It keeps everything for the next start.',
  ]
    .filter(Boolean)
    .join('\n');
}

/** @param {string} text */
function parseToken(text) {
  if (!/^[\w-]{16,}$/.test(text)) {
    throw new Error(`It must have at least 16 characters: letters, digits, - or _, such as ${createToken()}`);
  }
  return text;
}
