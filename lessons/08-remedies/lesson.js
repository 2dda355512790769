import { isCure } from '../../lab/labs/remedies/criterion.js';
import { remedies } from '../../lab/labs/remedies/remedies-lab.js';
import { readSettings } from '../../src/settings.js';
import { defineLesson, judgeRuns, right, wrong } from '../../lab/workshop/define-lesson.js';

/** @import { Evidence, SavedResult } from '../../lab/workshop/lesson-types.js' */

const SLOW_MS = 1000;
const TWIST_SLOW_MS = 3000;
const REMEDIES = 6;
/** A customer's query, and its way to a database next door. */
const UNLOADED = { serviceMs: 2, overheadMs: 0, connectMs: 0 };
/** Remedies that keep a lane free for customers, however many administrators there are. */
const KEEP_A_LANE = ['client', 'limit'];

export const lesson = defineLesson({
  minutes: 5,
  goal: 'choose a remedy against slow queries, and say who pays for it',
  lab: 'remedies',
  guess: {
    question:
      'A pool of 5. Each second about seven administrators come with queries of 1 s, and a hundred customers with ' +
      'queries of 2 ms wait behind them. Six remedies: a pool of 1, of 20 or of 100, a second client for the slow ' +
      'queries, a limit on how many of them run at once, and a limit on the wait. With how many do 99 of 100 ' +
      'customers get an answer within 50 ms?',
    unit: 'remedies',
    isCount: true,
    answer: simulateCures,
    why: 'What works keeps a lane free for customers: more lanes, a second client, or a limit on the slow queries.',
  },
  hints: [
    'A remedy works if the p99 of /fast is below twice that of the first line, or below 50 ms.',
    'A pool of 1 is worse than 5, and a limit on waiting only turns slow answers into errors.',
    'Four work on most machines: pools of 20 and 100, the second client, and the limit on slow queries. The ' +
      'sentences above the table name them; count those.',
  ],
  asks: { question: 'How many of the six remedies work?', unit: 'remedies', isCount: true },
  check: (evidence) => checkRemedies(evidence, SLOW_MS),
  twist: {
    lab: 'remedies',
    asks: { question: 'How many of the six remedies work with slow queries of 3 s?', unit: 'remedies', isCount: true },
    key:
      'Those that keep lanes free for customers: the second client, the limit, and a pool of 100. A pool of 20 ' +
      'fills up. The sentences above the table name them.',
    check: (evidence) => checkRemedies(evidence, TWIST_SLOW_MS),
  },
});

/** How many remedies work in the lab's own prediction. */
async function simulateCures() {
  const chosen = Object.fromEntries(Object.entries(remedies.options).map(([name, option]) => [name, option.default]));
  const plan = await remedies.plan(/** @type {any} */ (chosen));
  const predict = /** @type {NonNullable<typeof remedies.predict>} */ (remedies.predict);
  const variants = plan.variants.map((variant) => {
    const figures = predict(variant, plan, /** @type {any} */ ({ unloaded: UNLOADED }), readSettings());
    return /** @type {any} */ ({ ...variant, measured: { ...figures, unloaded: UNLOADED } });
  });
  const { alone, treated } = splitVariants(/** @type {SavedResult} */ ({ variants }));
  return treated.filter((one) => isCure(one, alone)).length;
}

/**
 * Whether the answer is the number of remedies that work against slow queries of some length.
 * @param {Evidence} evidence
 * @param {number} slowMs
 */
function checkRemedies({ results, answer }, slowMs) {
  const command = `npx pool-lab run remedies${slowMs === SLOW_MS ? '' : ` --slow-ms ${slowMs}`}`;
  const runs = results.filter((run) => {
    const { alone, untreated, treated } = splitVariants(run);
    return (
      run.settings.slowMs === slowMs && !run.settings.environment && alone && untreated && treated.length === REMEDIES
    );
  });
  return judgeRuns(runs, `There is no run of all six remedies yet: ${command}`, (run) => {
    const { alone, untreated, treated } = splitVariants(run);
    /** @param {boolean | null} verdict */
    const namesOf = (verdict) => treated.filter((one) => isCure(one, alone) === verdict).map(({ name }) => name);
    const [cures, unclear] = [namesOf(true), namesOf(null)];
    const heldUp = treated.filter((one) => KEEP_A_LANE.includes(one.settings.remedy) && isCure(one, alone) === false);
    if (heldUp.length > 0) {
      return wrong(
        `Customers had lanes of their own with ${heldUp.map(({ name }) => name).join(' and ')}, and waited all the ` +
          `same: something else held them up. Close other programs and run it again: ${command} --repeat 3`,
      );
    }
    if (isCure(untreated, alone) !== false || (cures.length === 0 && unclear.length > 0)) {
      return wrong(`In this run nothing is clear. Close other programs and run it again: ${command} --repeat 3`);
    }
    if (answer !== cures.length) return wrong(`It is not ${answer}. Read the sentences above the table again.`);
    return right(
      [
        `${cures.length} of ${treated.length} work${cures.length > 0 ? `: ${cures.join(', ')}` : ''}.`,
        unclear.length > 0 && `This run shows nothing clear about ${unclear.join(', ')}.`,
        'Now look at what each one costs the administrators.',
      ]
        .filter(Boolean)
        .join(' '),
      // How many work in truth is unknown, so a guess gets no points.
      { truth: unclear.length > 0 ? undefined : cures.length },
    );
  });
}

/**
 * The customers alone, then with administrators: without a remedy, and with each.
 * @param {SavedResult} run one without the first two has undefined in their place
 */
function splitVariants({ variants }) {
  const measured = variants.filter((variant) => variant.measured);
  const [alone] = measured.filter(({ settings }) => settings.load === 'customers');
  const all = measured.filter(({ settings }) => settings.load === 'all');
  const [untreated] = all.filter(({ settings }) => settings.remedy === 'none');
  return { alone, untreated, treated: all.filter(({ settings }) => settings.remedy !== 'none') };
}
