import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isDanger } from 'mongodb-pool-page/universal/finding-words.js';
import {
  CAUSED_BY_QUERIES,
  diagnose,
  judgeTrust,
  openRecording,
  parseChange,
  poolOfApp,
  predict,
} from 'mongodb-pool-predictor';
import { describeHistory } from '../predictions/describe-input.js';
import { renderComparison, renderDiagnosis, toJson } from '../predictions/diagnosis-view.js';
import { formatTime } from '../predictions/history-view.js';
import { inThreads } from './in-threads.js';
import { reword } from './options.js';
import { readShown } from './progress-bar.js';
import { WHAT_IF, renderWhatIf, tryQueries } from './try-queries.js';
import { chooseApp, recordTrace } from './record-trace.js';

/** @import { CommandData } from './add-command.js' */
/** @import { Output } from './output.js' */
/** @import { Diagnosis, Recording, Trust } from 'mongodb-pool-predictor' */

/** @typedef {{ instances?: number, serverLimit?: number }} DoctorFleet */

const ADVICE = new URL('../predictions/advice/', import.meta.url);
const SECONDS = 60;
/** Such as 127.0.0.1:9000, which may also be the name of a file. */
const BARE_ADDRESS = /^[\w.-]+:\d+(?:\/|$)/;
const [FINE, ERROR, PROBLEM] = [0, 1, 2];

/** Sizes up to this many times the recorded one are tried, for a better one. */
const MAX_TIMES = 8;
const MAX_SIZES = 60;

/** @type {CommandData} */
export const command = {
  about:
    'say why requests wait for a connection, and what to do. Exits with 0 if they do not, with 2 if there is a ' +
    'problem, and with 1 if there is no verdict',
  arguments: [
    ['[source]', 'URL of a running app or of the page of `pool-lab watch`\n(default: APP_URL), or a trace file'],
  ],
  options: [
    reword('seconds', 'how long to look at a running app', SECONDS),
    ['--compare <before>', 'say what changed since this trace'],
    WHAT_IF,
    'instances',
    'serverLimit',
    'json',
  ],
  example: 'trace.jsonl',
  run: findCauses,
  print: printDiagnosis,
};

/**
 * @param {string | undefined} source
 * @param {DoctorFleet & { seconds: number, compare?: string, whatIf?: string[] }} options
 */
async function findCauses(source, { seconds, compare, instances, serverLimit, whatIf }) {
  const fleet = { instances, serverLimit };
  if ((instances === undefined) !== (serverLimit === undefined))
    throw new Error('--instances and --server-limit need each other, such as --instances 4 --server-limit 500');
  if (source !== undefined && BARE_ADDRESS.test(source) && !existsSync(source))
    throw new Error(
      `There is no file ${source}. An address begins with http://:\n  npx pool-lab doctor http://${source}`,
    );
  const before = compare === undefined ? undefined : await diagnoseFile(compare, fleet);
  const now =
    source === undefined || /^https?:/i.test(source)
      ? await diagnoseApp(source, seconds, fleet, whatIf)
      : await diagnoseFile(source, fleet, whatIf);
  const { verdict, settings } = now.diagnosis;
  const { cause, isProblem } = verdict;
  process.exitCode = isProblem || settings.some(isDanger) ? PROBLEM : cause === 'tooLittleData' ? ERROR : FINE;
  return { before, now, advice: await readAdvice() };
}

/** @param {Awaited<ReturnType<typeof findCauses>>} found @param {Output} output */
function printDiagnosis({ before, now, advice }, { look, print }) {
  const { diagnosis, history, whatIf } = now;
  if (history) process.stderr.write(`${history}\n`);
  const text = before
    ? renderComparison(before.diagnosis, diagnosis, look)
    : renderDiagnosis(diagnosis, { ...now, advice, ...look });
  print([text, ...whatIf.map((tried) => renderWhatIf(tried, look.width))], {
    ...toJson(diagnosis, now, advice),
    ...(before && { before: toJson(before.diagnosis, before, advice) }),
  });
}

/** @param {string} file @param {DoctorFleet} fleet @param {string[]} [whatIf] see tryQueries */
async function diagnoseFile(file, fleet, whatIf = []) {
  const trace = await readShown(file);
  const diagnosis = diagnose(trace, fleet);
  const { cause, isProblem, facts } = diagnosis.verdict;
  const isCausedByQueries = isProblem && CAUSED_BY_QUERIES.includes(cause) && !trace.header.history;
  const known = {
    diagnosis,
    history: describeHistory(trace),
    // A history lasts for hours, and what happened meanwhile is in logs.
    formatTime: trace.header.history
      ? (/** @type {number} */ ms) => `${formatTime(trace.originMs + ms)} UTC`
      : undefined,
  };
  if (!isCausedByQueries && whatIf.length === 0) return { ...known, poolSize: null, speedups: null, whatIf: [] };
  const recording = openRecording([trace], { client: facts?.client });
  const changes = whatIf.map((text) => parseChange(text, recording.trace));
  const trust = judgeTrust(recording, null);
  const { load, overhead } = recording;
  return inThreads({ load, services: load.services, overhead, resolutionMs: 0 }, async (hooks) => ({
    ...known,
    poolSize: await suggestSize(recording, trust, diagnosis, hooks),
    ...(await tryQueries({ recording, trust, ...hooks, changes, isRanked: isCausedByQueries })),
  }));
}

/**
 * Finds the size from which on more connections would not help, for a pool that is full.
 *
 * @param {Recording} recording
 * @param {Trust} trust
 * @param {Diagnosis} diagnosis of it
 * @param {Pick<Parameters<typeof predict>[0], 'simulateRuns' | 'onProgress'>} hooks
 * @returns {Promise<number | null>} null unless the pool is too small for its load, the recording can be predicted, and
 *   there is such a size
 */
async function suggestSize({ load, overhead, settings, trace }, { refusal }, { verdict: { cause, facts } }, hooks) {
  if (cause !== 'fullPool' || !facts?.maxPoolSize) return null;
  const { services } = load;
  if (!settings || trace.header.maxPoolSize !== facts.maxPoolSize || refusal) return null;
  const size = facts.maxPoolSize;
  const poolOf = (/** @type {number} */ poolSize) => poolOfApp({ ...settings, poolSize });
  /** @param {number[]} poolSizes @returns {Promise<number | null>} the best guess among them */
  const guess = async (poolSizes) => {
    const prediction = await predict({ load, services, overhead, poolSizes, poolOf, seeds: 19, ...hooks });
    return prediction.load.best.size;
  };
  // In two steps: a long recording takes its time for each size.
  const sizes = Array.from({ length: Math.min(MAX_SIZES, (MAX_TIMES - 1) * size) }, (_, index) => size + index + 1);
  const step = Math.round(Math.sqrt(sizes.length));
  const rough = await guess(sizes.filter((_, index) => (sizes.length - 1 - index) % step === 0));
  // A server that is the bottleneck with the recorded size has no room for more.
  if (rough === null || rough <= size) return null;
  return guess(sizes.filter((each) => each > rough - step && each <= rough));
}

/** @param {string | undefined} url @param {number} seconds @param {DoctorFleet} fleet @param {string[]} [whatIf] */
async function diagnoseApp(url, seconds, fleet, whatIf) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-doctor-'));
  const out = path.join(folder, 'trace.jsonl');
  try {
    await recordTrace(chooseApp(url, { option: 'The app', missing: 'a URL or a trace file' }), {
      out,
      seconds,
      every: 1000,
      maxMb: 100,
      onStart: (what) => void process.stderr.write(`Looking at ${what} for ${seconds} s. Ctrl-C ends it sooner.\n`),
      onEnd: ({ checkouts }) => {
        if (checkouts === 0)
          throw new Error(`Nobody took a connection within ${seconds} s. Look while the app is busy`);
      },
    });
    return await diagnoseFile(out, fleet, whatIf);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What to do about each cause: the text below the heading of its file. @returns {Promise<Record<string, string>>} */
async function readAdvice() {
  const files = (await readdir(ADVICE)).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, ADVICE), 'utf8')));
  return Object.fromEntries(
    files.map((name, index) => [
      name.replace(/\.md$/, ''),
      texts[index].replace(/^#.*$/m, '').replace(/\s+/g, ' ').trim(),
    ]),
  );
}
