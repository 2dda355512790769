import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { hasArticleLoad } from '../article-load.js';
import { defineLesson, judgeRuns, right, wrong } from '../../lab/workshop/define-lesson.js';
import { simulateAnswer, slowestMs } from '../../lab/workshop/simulate-answer.js';

/** @import { SavedResult } from '../../lab/workshop/lesson-types.js' */

/** If the response takes this many times the service time, nearly all of it is waiting. */
const WAIT_FACTOR = 10;
/** Shorter delays are a busy machine's, and nobody notices most of them. */
const SHORT_MS = 50;
const PAUSE_MS = 1000;

const REPLAY = { scenario: 'loadtests/mixed.yaml', poolSize: 1 };

export const lesson = defineLesson({
  minutes: 4,
  goal: 'tell a slow query from one that waits behind it',
  lab: 'mixed',
  guess: {
    question:
      'Five users arrive one second apart at a tunnel with one lane. Each sends a bus, which takes 5 s, and then a ' +
      'Ferrari, which takes 2 ms. How long will the slowest Ferrari take, waiting included?',
    unit: 'seconds',
    why: 'The first Ferrari comes at 5 s and finds four buses of 5 s each ahead of it, so it waits for 20 s.',
    replay: REPLAY,
    answer: async () => slowestMs(await simulateAnswer(REPLAY), '/fast') / 1000,
  },
  hints: [
    'Each user sends a bus, and a Ferrari when the bus has arrived. Who is in the lane at that moment?',
    'The first Ferrari arrives at second 5. The four other buses are already in line, and each one takes 5 s.',
    'It waits for four buses: 4 x 5 = 20 s. Run npx pool-lab run mixed --pool-sizes 1, then verify.',
  ],
  check({ results }) {
    const runs = results.filter(
      (run) => hasArticleLoad(run) && run.variants.length === 1 && run.variants[0].settings.poolSize === 1,
    );
    return judgeRuns(
      runs,
      'First run it with one lane: npx pool-lab run mixed --pool-sizes 1',
      ({ variants: [{ measured, error }] }) => {
        if (!measured || error) return wrong(`That run failed (${error}). Run it again.`);
        const { serviceMs } = measured.unloaded;
        const { maxMs } = measured.routes['/fast'];
        if (maxMs < WAIT_FACTOR * serviceMs) return wrong('In that run no Ferrari waited. Do not change the load.');
        return right(
          `A query of ${formatQuantity(serviceMs, 'ms')} was answered after ${formatQuantity(maxMs, 'ms')}. ` +
            'It was not slow. It waited behind buses.',
          { truth: maxMs / 1000 },
        );
      },
    );
  },
  twist: {
    lab: 'mixed',
    key: 'A few ms, or some tens of ms on a busy laptop: without buses nobody is in the way.',
    check({ results }) {
      const runs = results.filter(
        (run) => String(run.settings.scenario).endsWith('fast-only.yaml') && findOneLane(run),
      );
      return judgeRuns(runs, 'There is no run of loadtests/fast-only.yaml with one lane yet.', (run) => {
        const { requests, failures, maxMs, routes } = findOneLane(run)?.measured ?? {};
        const { p95Ms } = routes['/fast'];
        const found =
          `95 of 100 Ferraris took ${formatQuantity(p95Ms, 'ms')} or less, and the slowest of ${requests} took ` +
          `${formatQuantity(maxMs, 'ms')}.`;
        if (failures > 0) return wrong(`${failures} of ${requests} Ferraris got no answer.`);
        if (p95Ms >= SHORT_MS || maxMs >= PAUSE_MS) {
          return wrong(`${found} Something else uses this machine: close other programs and run it again.`);
        }
        return right(`${found} One lane is plenty without buses.`);
      });
    },
  },
});

/** @param {SavedResult} run */
function findOneLane({ variants }) {
  return variants.find(({ settings, measured }) => settings.poolSize === 1 && measured);
}
