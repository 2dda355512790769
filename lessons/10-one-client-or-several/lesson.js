import { CASES } from '../cases/causes.js';
import { defineLesson, isClose, judgeRuns, right, wrong } from '../../lab/workshop/define-lesson.js';

/** @import { SavedResult } from '../../lab/workshop/lesson-types.js' */

const POOL_SIZE = 20;
const TWIST_POOL_SIZE = 128;
/** The share of a core from which the app's process has no time left. */
const FULL = 0.8;
/** A smaller gain is noise. */
const MORE = 1.3;

export const lesson = defineLesson({
  minutes: 9,
  goal: 'find the resource that is short before buying more of another',
  lab: 'handles',
  guess: {
    question:
      'An app with one client and 20 connections serves 128 users. Each sends the next request when the ' +
      'last one is answered. Four clients with 5 connections each take the place of the one. How many ' +
      'times as many requests are answered?',
    unit: 'times',
    why: "One client already keeps the app's only core busy, so four clients can't answer many more.",
  },
  hints: [
    "You need one column, the app's CPU time for a request, in the lines c128 one and c128 gathered.",
    'Divide the first by the second. A gathered query does the work of many lookups once.',
    '712 / 178 = 4.0 with the figures in the text. Use your own.',
  ],
  asks: {
    question: 'How many times as much CPU time does a request cost with a lookup of its own as with a gathered one?',
    unit: 'times',
  },
  check({ results, answer }) {
    const runs = results.filter((run) => {
      const { one, several, gathered } = listHandles(run);
      return run.settings.poolSize === POOL_SIZE && one?.cpuUs && several && gathered?.cpuUs;
    });
    return judgeRuns(
      runs,
      'There is no run yet with one client, several clients and gathered lookups: ' +
        'npx pool-lab run handles --connections 128',
      (run) => {
        const { one, several, gathered } = listHandles(run);
        if (!isClose(answer, one.cpuUs / gathered.cpuUs)) {
          return wrong('Divide the CPU time of a request in the line "one" by that in the line "gathered".');
        }
        const found = `With one client, the app used ${Math.round(coresOf(one) * 100)} % of one core`;
        if (coresOf(one) < FULL) {
          return wrong(
            `${found}. Something else used the cores of this machine: close other programs and run it again.`,
          );
        }
        const times = several.ratePerSec / one.ratePerSec;
        const more = `${times.toFixed(1)} times as many requests`;
        return right(
          `${found}, and Node.js runs your code on one. ${
            times < MORE
              ? `So connections were not the bottleneck: several clients answered ${more}.`
              : `Yet several clients answered ${more}: measure again with --repeat 3.`
          } Gathered lookups cost ${Math.round(gathered.cpuUs)} µs of CPU time each, not ${Math.round(one.cpuUs)}.`,
          { truth: times },
        );
      },
    );
  },
  case: CASES[1],
  twist: {
    lab: 'handles',
    key:
      'No: about as many, or a few more or fewer. The processor of the app is the bottleneck, not the number of ' +
      'connections.',
    check({ results }) {
      const [few, many] = [POOL_SIZE, TWIST_POOL_SIZE].map((poolSize) =>
        results
          .filter(({ settings }) => settings.poolSize === poolSize)
          .map((run) => listHandles(run).one)
          .find((one) => one?.cpuUs),
      );
      if (!few) return wrong('First do the lesson itself: its run has the figure to compare with.');
      const command = 'npx pool-lab run handles --connections 128 --handles one --pool-size 128';
      if (!many) return wrong(`There is no such run yet: ${command}`);
      if (coresOf(few) < FULL || coresOf(many) < FULL) {
        return wrong(
          `Something else used the cores of this machine. Close other programs and run both again: ${command}`,
        );
      }
      return right(
        `With 128 connections it answers ${(many.ratePerSec / few.ratePerSec).toFixed(2)} times as many requests as ` +
          `with 20, and uses ${Math.round(coresOf(many) * 100)} % of a core instead of ` +
          `${Math.round(coresOf(few) * 100)} %.`,
      );
    },
  },
});

/** How many cores the app kept busy. @param {{ ratePerSec: number, cpuUs: number }} measured */
function coresOf({ ratePerSec, cpuUs }) {
  return (ratePerSec * cpuUs) / 1_000_000;
}

/** What was measured for each handle, with the first number of users. @param {SavedResult} run */
function listHandles({ variants }) {
  return Object.fromEntries(
    variants
      .filter(({ settings, error }) => settings.connections === variants[0].settings.connections && !error)
      .map(({ settings, measured }) => [settings.handle, measured]),
  );
}
