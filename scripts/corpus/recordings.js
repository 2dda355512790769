// The corpus on disk: recordings, the truth beside each, and what the commands answered.
import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { POOLS } from '../../benchmarks/predicted-vs-measured/apps.js';

/** @import { MeasuredRoute } from '../../benchmarks/predicted-vs-measured/measure-routes.js' */

/** Where it is. */
export const CORPUS = fileURLToPath(new URL('../../corpus/', import.meta.url));
const CAUSE_POOLS = [4, 16];
/** The least simulation runs that the commands take. */
const [BAND_RUNS, ADVICE_RUNS] = [19, 59];
export const TRACE_END = '.jsonl.gz';

/**
 * @typedef {object} Measured a load, and what was measured at each pool size
 * @property {string} kind see benchmarks/predicted-vs-measured/recorded-loads.js
 * @property {boolean} isCpuBound the pool size changes how long its queries take
 * @property {string} [client] whose pool is predicted
 * @property {string} goal of advise
 * @property {Record<string, Record<string, MeasuredRoute>>} measured by pool size and route
 * @property {Record<string, Record<string, MeasuredRoute>>} again measured once more, with the same arrivals
 *
 * @typedef {object} Injected a cause that was injected, see benchmarks/doctor/cases.js
 * @property {string} cause what the doctor must say
 * @property {string} [client] that it must name
 * @property {string} goal of advise
 *
 * @typedef {{ command: string, args: string[] }} Question
 * @typedef {Record<'doctor' | 'predict' | 'advise', any>} Answers by command
 * @typedef {Record<'doctor' | 'predict' | 'advise', string>} Texts what they print on a terminal
 *
 * @typedef {object} Recording
 * @property {string} name such as loads/one-query/recorded-at-2
 * @property {Measured | undefined} measured of a load
 * @property {Injected | undefined} injected of a cause
 * @property {Answers | undefined} stored undefined: not asked yet
 */

/** @returns {Promise<Recording[]>} in the order of their names */
export async function listRecordings() {
  const files = (await readdir(CORPUS, { recursive: true })).filter((file) => file.endsWith(TRACE_END)).sort();
  return Promise.all(
    files.map(async (file) => {
      const folder = path.dirname(file);
      const name = file.slice(0, -TRACE_END.length).replaceAll(path.sep, '/');
      const [measured, injected, stored] = await Promise.all(
        [`${folder}/measured.json`, `${folder}/injected.json`, `${name}.json`].map(readJson),
      );
      return { name, measured, injected, stored };
    }),
  );
}

/** @param {string} file in the corpus @returns {Promise<any>} undefined if there is none */
export async function readJson(file) {
  const text = await readFile(path.join(CORPUS, file), 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

/** @param {Recording} recording @returns {Question[]} */
export function questionsOf({ name, measured, injected }) {
  const file = path.join(CORPUS, `${name}${TRACE_END}`);
  const client = measured?.client ? ['--client', measured.client] : [];
  const goal = String((measured ?? injected)?.goal);
  // Of a cause, nothing was measured at other sizes.
  const sizes = measured ? POOLS : CAUSE_POOLS;
  return [
    { command: 'doctor', args: [file] },
    {
      command: 'predict',
      args: ['--trace', file, '--pool-sizes', sizes.join(), '--seeds', String(BAND_RUNS), ...client],
    },
    {
      command: 'advise',
      args: ['--trace', file, '--slo', goal, '--headroom', '1', '--seeds', String(ADVICE_RUNS), ...client],
    },
  ];
}

/**
 * Asks the commands about recordings, on all processors. The answers are the same on every machine.
 *
 * @param {Recording[]} recordings
 * @param {object} [options]
 * @param {string[]} [options.commands] default: all three
 * @param {(recording: Recording, answers: Answers) => boolean} [options.until] asks no further
 * @param {(recording: Recording, answers: Answers, texts: Texts) => void} [options.read] gets the terminal's texts, too
 * @returns {Promise<Answers[]>} one each
 */
export async function askAll(recordings, { commands, until = () => false, read } = {}) {
  /** @type {Answers[]} */
  const answers = new Array(recordings.length);
  const left = recordings.map((recording, index) => ({ recording, index }));
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const worker = new Worker(new URL('answer-thread.js', import.meta.url));
      for (let next = left.shift(); next; next = left.shift()) {
        const { recording, index } = next;
        worker.postMessage(questionsOf(recording).filter(({ command }) => commands?.includes(command) ?? true));
        const said = await new Promise((resolve, reject) => {
          worker.once('error', reject).once('message', resolve);
        });
        worker.removeAllListeners('error');
        answers[index] = said.answers;
        read?.(recording, said.answers, said.texts);
        if (until(recording, answers[index])) left.length = 0;
      }
      await worker.terminate();
    }),
  );
  return answers;
}
