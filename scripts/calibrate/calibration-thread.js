// A thread that asks its recordings what they say with another value of an assumption. It keeps what it has read, and
// what was said with the values in use.
import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { diagnose, openRecording } from 'mongodb-pool-predictor';
import { VALUES } from 'mongodb-pool-predictor/assumptions';
import { readTrace } from 'mongodb-pool-predictor/node';
import { askCommand, captureOutput } from '../corpus/ask-command.js';
import { keepFacts } from '../corpus/facts.js';
import { questionsOf } from '../corpus/recordings.js';
import { listVerdicts } from './verdicts.js';

/** @import { Load, RecordedTrace } from 'mongodb-pool-predictor' */
/** @import { Question, Recording } from '../corpus/recordings.js' */

/**
 * @typedef {'doctor' | 'predict' | 'advise'} AskedCommand
 *
 * @typedef {object} Probe
 * @property {string} id of an assumption
 * @property {number} value
 * @property {AskedCommand[]} commands that depend on it
 * @property {boolean} isOfLoad it only decides which load a recording is, so the same load gets the same prediction
 * @property {string[]} names of recordings, in the order in which they are asked
 * @property {string[]} predicted those that are predicted even if their load is the same
 */

/** @type {{ recordings: Recording[], stop: Int32Array }} stop: another thread's recording has noticed */
const { recordings, stop } = workerData;
const known = new Map(recordings.map((recording) => [recording.name, { recording, said: new Map() }]));
/** @type {Map<string, RecordedTrace>} */
const traces = new Map();
/** Runs that are drawn to tell two loads apart; the first is the recording itself. */
const SEEDS = [1, 2];

/** Assumptions that were read since it was empty. @type {Set<string>} */
const read = new Set();
/** @type {Map<string, number>} */
const values = new Map();

for (const [topic, named] of Object.entries(VALUES))
  for (const [name, value] of Object.entries(named)) {
    const id = `${topic}.${name}`;
    values.set(id, value);
    const get = () => {
      read.add(id);
      return values.get(id);
    };
    Object.defineProperty(named, name, { get });
  }
captureOutput();
parentPort?.on(
  'message',
  async (/** @type {{ probe?: Probe, id?: string, value?: number, question: Question }} */ job) => {
    try {
      const { probe, id, value, question } = job;
      const said = probe ? await findNoticing(probe) : await withValue(id, value, () => askCommand(question));
      parentPort?.postMessage({ said });
    } catch (error) {
      parentPort?.postMessage({ error });
    }
  },
);

/** @param {Probe} probe @returns {Promise<string | undefined>} the first recording that notices */
async function findNoticing({ names, ...probe }) {
  for (const name of names) {
    if (stop[0] === 1) return undefined;
    if (!(await notices(name, probe))) continue;
    stop[0] = 1;
    return name;
  }
  return undefined;
}

/** @param {string} name @param {Omit<Probe, 'names'>} probe */
async function notices(name, { id, value, commands, isOfLoad, predicted }) {
  const differs = async (/** @type {AskedCommand | 'load'} */ part) => {
    const before = await sayOnce(name, part);
    return before.read.has(id) && before.text !== (await withValue(id, value, () => say(name, part)));
  };
  for (const command of commands) {
    const isSkipped = command === 'predict' && (isOfLoad ? !(await differs('load')) : !predicted.includes(name));
    if (isSkipped) continue;
    if (await differs(command)) return true;
  }
  return false;
}

/**
 * @template T
 * @param {string | undefined} id default: no other value
 * @param {number | undefined} value
 * @param {() => Promise<T>} ask
 * @returns {Promise<T>}
 */
async function withValue(id, value, ask) {
  if (id === undefined || value === undefined) return ask();
  const used = /** @type {number} */ (values.get(id));
  values.set(id, value);
  try {
    return await ask();
  } finally {
    values.set(id, used);
  }
}

/** @param {string} name */
const find = (name) => /** @type {NonNullable<ReturnType<typeof known.get>>} */ (known.get(name));

/**
 * @param {string} name
 * @param {AskedCommand | 'load'} part
 * @returns {Promise<{ text: string, read: Set<string> }>} what is said with the values in use, and which of them matter
 */
async function sayOnce(name, part) {
  const { said } = find(name);
  if (!said.has(part)) {
    read.clear();
    said.set(part, { text: await say(name, part), read: new Set(read) });
  }
  return said.get(part);
}

/** @param {string} name @param {AskedCommand | 'load'} part @returns {Promise<string>} */
async function say(name, part) {
  const { recording } = find(name);
  const questions = questionsOf(recording);
  const [file] = questions[0].args;
  if (part === 'doctor') return listVerdicts(keepFacts(diagnose(await readOnce(file))));
  if (part === 'load') {
    const { load } = openRecording([await readOnce(file)], { client: recording.measured?.client });
    return hashLoad(load);
  }
  const question = questions.find(({ command }) => command === part);
  return listVerdicts((await askCommand(/** @type {Question} */ (question))).answer);
}

/** @param {string} file */
async function readOnce(file) {
  const trace = traces.get(file) ?? (await readTrace(file));
  traces.set(file, trace);
  return trace;
}

/** @param {Load} load @returns {string} the same for loads that no simulation can tell apart */
function hashLoad(load) {
  const readings = [load, ...(load.otherReading ? [load.otherReading] : [])];
  const runs = readings.map((one) => SEEDS.map((seed) => [...one.arrivals(seed, 1)]));
  return createHash('sha1').update(serialize(load.source)).update(JSON.stringify(runs)).digest('hex');
}
