import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { right, wrong } from '../../src/workshop/verdict.js';

/** @import { SavedResult } from '../../src/workshop/lesson-types.js' */

/** With the driver's defaults, a query waits for up to a second. Half of that is more than noise. */
const MIN_WAIT_MS = 500;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'sessions',
  guess: {
    question: 'Five change streams share five connections with your queries. How long will the slowest query take?',
    unit: 'ms',
  },
  hints: [
    'The check wants three runs: with the streams, with --second-client, and with --max-await. Which one is missing?',
    'A stream holds a connection until the server answers: after a second by default, after maxAwaitTimeMS if that '
      + 'is set.',
    'About 1000 ms: a query waits until one of the five streams gets its answer. Run the three commands of the '
      + 'lesson in any order, then verify.',
  ],
  check({ results }) {
    const leaky = results.filter(({ settings }) => Number(settings.leaks) > 0)
      .flatMap((run) => run.variants.flatMap(({ measured }) => (measured ? { run, measured } : [])));
    const shared = leaky.filter(({ run }) => !run.settings.secondClient);
    const late = shared.find(({ run, measured: { failures, maxMs } }) => (
      !isHeldLong(run) && failures === 0 && maxMs >= MIN_WAIT_MS));
    const cured = leaky.find(({ run, measured }) => run.settings.secondClient && measured.failures === 0);
    const frozen = shared.find(({ run, measured: { failures, count } }) => isHeldLong(run) && failures === count);
    if (!late) return wrong('There is no run yet where change streams make queries wait: --leaks 5 --pool-sizes 5');
    if (!cured) return wrong('You have seen queries wait. Now run it with --second-client.');
    if (!frozen) return wrong('The second part is missing: --leaks 5 --max-await 86400000 --pool-timeout 500');
    return {
      ...right(`Behind change streams, queries waited for up to ${formatQuantity(late.measured.maxMs, 'ms')}. With a `
        + `second client for the streams, the slowest took ${formatQuantity(cured.measured.maxMs, 'ms')}. With a long `
        + `maxAwaitTimeMS, ${frozen.measured.failures} of ${frozen.measured.count} queries timed out.`, { truth: late.measured.maxMs }),
      runs: [late, cured, frozen].map(({ run }) => run),
    };
  },
};

/** Whether its streams hold a connection for longer than by default. @param {SavedResult} run */
export function isHeldLong({ settings }) {
  return Number(settings.maxAwait ?? 0) > 1000;
}
