import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { changesOf, mutationsOf, oddValues, texts } from 'test-support/fuzz-arbitraries.js';
import { openRecording, readTraceText } from 'mongodb-pool-predictor';
import { attempt, require, requireClear } from 'test-support/fuzz-outcome.js';
import { traceText } from 'test-support/trace-text.js';
import { toResult } from '../../cli/result-file.js';
import { judge } from '../../workshop/judge-task.js';
import { readLessons } from '../../workshop/lessons.js';
import { renderLessonList } from '../../workshop/list-view.js';
import { progressFile, readProgress } from '../../workshop/lesson-progress.js';
import { createSampleResult } from '../report/sample-result.js';
import { readClass } from '../../workshop/class/class-file.js';
import { createRoll, openState } from '../../workshop/class/class-roll.js';
import { describeRoom } from '../../workshop/class/class-view.js';
import { readLearner, readReport } from '../../workshop/class/report-body.js';
import { renderRoom } from '../../workshop/class/room-page.js';
import { FIGURES, LESSONS } from '../workshop/class/sample-lessons.js';

/** @import { ClassState } from '../../workshop/class/class-roll.js' */

const lessons = await readLessons();
const GUESS = { value: 11, at: '2026-01-02T00:00:00.000Z' };
const PROGRESS = {
  since: '2026-01-01T00:00:00.000Z',
  lessons: { [lessons[0].name]: { doneAt: '2026-01-02T00:00:00.000Z', guess: GUESS } },
};

/** A variant with the figures of all labs. @param {Record<string, unknown>} settings */
const variantOf = (settings) => ({
  name: '1/100 gathered',
  settings: {
    poolSize: 1,
    load: 'all',
    remedy: 'size',
    env: {},
    connections: 128,
    handle: 'one',
    case: 1,
    workers: 8,
    ...settings,
  },
  measured: {
    requests: 10,
    failures: 3,
    count: 20,
    maxMs: 21_000,
    ratePerSec: 100,
    unloaded: { serviceMs: 2 },
    pool: { waitMaxMs: 5 },
    routes: { '/fast': { p99Ms: 4, maxMs: 20_000 } },
  },
  predicted: { maxMs: 20_000 },
});
const RESULT = createSampleResult({
  settings: { leaks: 5, secondClient: false, slowMs: 5000, poolTimeout: 2500, rttMs: 20, poolSize: 20 },
  variants: [
    variantOf({}),
    variantOf({ poolSize: 2, load: 'customers', handle: 'several', workers: 64 }),
    variantOf({ load: 'burst', handle: 'gathered', env: { MONGO_MIN_POOLSIZE: 1 } }),
  ],
});
const TREATED = { ...RESULT, settings: { ...RESULT.settings, slowMs: 1000 } };
const APP = {
  max: 2,
  checkouts: [{ route: '/slow', checkOutStartedAtMs: 1, checkedOutAtMs: 2000, checkedInAtMs: 3000 }],
};
const TRACE = traceText({ poolSize: 2, checkouts: [1, 2, 3].map((ms) => ({ atMs: ms, useMs: ms, route: '/fast' })) });
const RECORDING = openRecording([await readTraceText(TRACE)]);

/**
 * Checks trust results to have all figures. Without them, the error must at least name the lesson.
 * @param {typeof lessons[number]} lesson
 * @param {any} evidence
 */
async function judgeOrExplain(lesson, evidence) {
  try {
    return await judge(lesson, evidence);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    require(message.startsWith(
      `The check of lesson ${lesson.name} failed: `,
    ), `an error without the lesson: ${message}`);
    return undefined;
  }
}

const REPORT = { lesson: '01-first', guess: 12, verdict: true, figures: FIGURES };
const STATE = {
  ...openState(LESSONS),
  code: 'ABC234',
  learners: [
    {
      id: 'one',
      name: 'Ada',
      progressAt: 1,
      work: { '01-first': { guess: 12, failed: 0, verdict: true, figures: FIGURES } },
    },
  ],
};

/** Whatever is in it, it can be shown, and runs nothing but its charts. @param {ClassState} state */
function requireShown(state) {
  JSON.stringify(describeRoom(state, LESSONS, { now: 1e12, stuckAfterMs: 1000 }));
  const [content, ...scripts] = renderRoom(state, LESSONS).split('<script');
  require(scripts.length === 2 && !/="(?:NaN|-?Infinity|undefined)/.test(content), 'the page of the room is broken');
}

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  'progress of the workshop': {
    arbitrary: fc.oneof(
      { weight: 4, arbitrary: changesOf([PROGRESS]).map((value) => JSON.stringify(value)) },
      { weight: 2, arbitrary: mutationsOf([JSON.stringify(PROGRESS)]) },
      { weight: 1, arbitrary: oddValues.map((value) => JSON.stringify(value)) },
    ),
    async open() {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'pool-lab-fuzz-'));
      return { folder, close: () => rmSync(folder, { recursive: true }) };
    },
    async check(text, { folder }) {
      const file = progressFile(folder);
      writeFileSync(file, text);
      const progress = await readProgress(folder, lessons).catch((error) =>
        requireClear(error, (message) => message.includes(file)),
      );
      if (progress) renderLessonList(lessons, progress);
    },
  },
  'checks of lessons': {
    arbitrary: fc.record({
      lesson: fc.constantFrom(...lessons),
      result: changesOf([RESULT, TREATED]),
      app: changesOf([APP]),
      answer: fc.double({ noNaN: true }),
    }),
    async check({ lesson, result, app, answer }) {
      const entry = attempt(() => toResult(result, 'fuzz.json')).value;
      if (!entry || !Array.isArray(app?.checkouts)) return;
      const evidence = {
        results: [{ ...entry.result, file: 'fuzz.json' }],
        app,
        recording: RECORDING,
        answer,
        guess: GUESS,
      };
      const verdict = await judgeOrExplain(lesson, evidence);
      require(!verdict || (typeof verdict.isRight === 'boolean' && verdict.words !== ''), 'no verdict');
    },
  },
  'names and reports of learners': {
    arbitrary: fc.record({
      name: fc.oneof(texts, oddValues, fc.constant('<script>alert(1)</script>')),
      extra: fc.boolean(),
      reports: fc.array(changesOf([REPORT]), { maxLength: 4 }),
    }),
    check({ name, extra, reports }) {
      const state = openState(LESSONS);
      const roll = createRoll(state, LESSONS, () => {});
      const { value } = attempt(() => readLearner({ name, ...(extra && { more: 1 }) }));
      const { id } = roll.join(value?.name ?? 'Ada');
      require(state.learners[0].name.length <= 40, 'a name is too long');
      for (const report of reports)
        attempt(() =>
          roll.note(readReport(typeof report === 'object' && report ? { learner: id, ...report } : report)),
        );
      requireShown(state);
    },
  },
  'a stored class': {
    arbitrary: fc.oneof(
      changesOf([STATE]).map((value) => JSON.stringify(value)),
      mutationsOf([JSON.stringify(STATE)]),
    ),
    async open() {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'pool-lab-fuzz-'));
      return { folder, close: () => rmSync(folder, { recursive: true }) };
    },
    async check(text, { folder }) {
      const file = path.join(folder, 'class.json');
      writeFileSync(file, text);
      const state = await readClass(file).catch((error) => requireClear(error, (message) => message.includes(file)));
      if (state && LESSONS.some(({ name }) => name === state.current)) requireShown(state);
    },
  },
};
