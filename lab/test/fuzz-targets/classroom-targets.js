import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { readClass } from '../../workshop/class/class-file.js';
import { createRoll, openState } from '../../workshop/class/class-roll.js';
import { describeRoom } from '../../workshop/class/class-view.js';
import { readName, readReport } from '../../workshop/class/report-body.js';
import { renderRoom } from '../../workshop/class/room-page.js';
import { FIGURES, LESSONS } from '../workshop/class/sample-lessons.js';
import { changesOf, mutationsOf, oddValues, texts } from 'test-support/fuzz-arbitraries.js';
import { attempt, require, requireClear } from 'test-support/fuzz-outcome.js';

/** @import { ClassState } from '../../workshop/class/class-roll.js' */

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
  'names and reports of learners': {
    arbitrary: fc.record({
      name: fc.oneof(texts, oddValues, fc.constant('<script>alert(1)</script>')),
      extra: fc.boolean(),
      reports: fc.array(changesOf([REPORT]), { maxLength: 4 }),
    }),
    check({ name, extra, reports }) {
      const state = openState(LESSONS);
      const roll = createRoll(state, LESSONS, () => {});
      const { value } = attempt(() => readName({ name, ...(extra && { more: 1 }) }));
      const { id } = roll.join(value ?? 'Ada');
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
