import { right, wrong } from '../../src/workshop/verdict.js';
import { listRates } from './lesson.js';

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  lab: 'handles',
  key: 'No: about as many, or a few more or fewer. The processor of the app is the bottleneck, not the number of '
    + 'connections.',
  check({ results }) {
    const [few, many] = [20, 128].map((poolSize) => (
      results.filter(({ settings }) => settings.poolSize === poolSize).map((run) => listRates(run).one).find(Boolean)));
    if (!few) return wrong('First do the lesson itself: its run has the figure to compare with.');
    if (!many) {
      return wrong('There is no such run yet: pool-lab run handles --connections 128 --handles one --pool-size 128');
    }
    return right(`With 128 connections it answers ${(many / few).toFixed(2)} times as many requests as with 20.`);
  },
};
