import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { defineLesson, right, wrong } from '../../lab/workshop/define-lesson.js';

/** @import { SavedResult } from '../../lab/workshop/lesson-types.js' */

/** Half of the longest wait with the driver's defaults, a second: more than noise. */
const MIN_WAIT_MS = 500;
const TWIST_STREAMS = [4, 10, 20];
const TWIST_LANES = 5;

export const lesson = defineLesson({
  minutes: 5,
  goal: 'find what keeps connections without using them, and give it a client of its own',
  lab: 'sessions',
  guess: {
    question:
      'Five change streams share five connections with your queries, which take a few ms each. The server holds ' +
      'back its answer to a stream until there is news, but for at most a second, and there is no news. How ' +
      'long will the slowest query take?',
    unit: 'ms',
    why:
      'Each stream keeps its connection until the server answers, which takes a second if there is no news, so ' +
      'a query can wait for about 1000 ms.',
  },
  hints: [
    'The check wants three runs: with the streams, with --second-client, and with --max-await. Which one is missing?',
    'A stream holds a connection until the server answers: after a second by default, after maxAwaitTimeMS if that ' +
      'is set.',
    'About 1000 ms: a query waits until one of the five streams gets its answer. Run the three commands of the ' +
      'lesson in any order, then verify.',
  ],
  check({ results }) {
    const leaky = results
      .filter(({ settings }) => Number(settings.leaks) > 0)
      .flatMap((run) => run.variants.flatMap(({ measured }) => (measured ? { run, measured } : [])));
    const shared = leaky.filter(({ run }) => !run.settings.secondClient);
    const late = shared.find(
      ({ run, measured: { failures, maxMs } }) => !isHeldLong(run) && failures === 0 && maxMs >= MIN_WAIT_MS,
    );
    const apart = leaky.filter(({ run, measured }) => run.settings.secondClient && measured.failures === 0);
    const cured = apart.find(({ measured }) => measured.maxMs < MIN_WAIT_MS);
    const frozen = shared.find(({ run, measured: { failures, count } }) => isHeldLong(run) && failures === count);
    if (!late) return wrong('There is no run yet where change streams make queries wait: --leaks 5 --pool-sizes 5');
    if (!cured && apart.length > 0) {
      return wrong(
        `With --second-client the slowest query took ${formatQuantity(apart[0].measured.maxMs, 'ms')}, so something ` +
          'else used this machine. Close other programs and run it again.',
      );
    }
    if (!cured) return wrong('You have seen queries wait. Now run it with --second-client.');
    if (!frozen) return wrong('The second part is missing: --leaks 5 --max-await 86400000 --pool-timeout 500');
    return {
      ...right(
        `Behind change streams, queries waited for up to ${formatQuantity(late.measured.maxMs, 'ms')}. With a second ` +
          `client for the streams, the slowest took ${formatQuantity(cured.measured.maxMs, 'ms')}. With a long ` +
          `maxAwaitTimeMS, ${frozen.measured.failures} of ${frozen.measured.count} queries timed out.`,
        { truth: late.measured.maxMs },
      ),
      runs: [late, cured, frozen].map(({ run }) => run),
    };
  },
  twist: {
    lab: 'sessions',
    key:
      'With 4 streams one lane stays free, and queries are quick. With 10 they wait for a second or two, with 20 ' +
      'up to about four: queries and streams queue for the same lanes.',
    check({ results }) {
      const shared = results.filter((run) => !run.settings.secondClient && !isHeldLong(run));
      const slowest = TWIST_STREAMS.map((leaks) => {
        const runs = shared.filter(({ settings }) => settings.leaks === leaks);
        return runs.flatMap(({ variants }) =>
          variants.flatMap(({ settings, measured }) =>
            settings.poolSize === TWIST_LANES && measured?.failures === 0 ? measured.maxMs : [],
          ),
        )[0];
      });
      const missing = TWIST_STREAMS.filter((_, index) => slowest[index] === undefined);
      if (missing.length > 0) return wrong(`Not measured yet: --leaks ${missing.join(', --leaks ')}.`);
      const found = TWIST_STREAMS.map(
        (leaks, index) => `${formatQuantity(slowest[index], 'ms')} with ${leaks} streams`,
      );
      const words = `The slowest query: ${found.join(', ')}.`;
      const [free, full, more] = slowest;
      return free < MIN_WAIT_MS && MIN_WAIT_MS <= full && full < more
        ? right(`${words} As long as a lane is free, the streams delay nobody.`)
        : wrong(`${words} Something else used this machine: close other programs and measure all three again.`);
    },
  },
});

/** Whether its streams hold a connection for longer than by default. @param {SavedResult} run */
function isHeldLong({ settings }) {
  return Number(settings.maxAwait ?? 0) > 1000;
}
