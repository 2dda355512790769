import { right, wrong } from '../../src/workshop/verdict.js';
import { collectSizes } from './lesson.js';

const SLOW_MS = 2000;
/** Nobody notices a shorter delay. */
const UNNOTICED_MS = 50;

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  lab: 'mixed',
  asks: { question: 'What is the smallest pool in which every Ferrari takes less than 50 ms?', unit: 'connections', isCount: true },
  key: 'The slowest request is as quick with 2 connections as with any more, but with 2 a Ferrari can wait behind a '
    + 'bus. '
    + '3 connections keep every Ferrari quick.',
  check({ results, answer }) {
    const sizes = collectSizes(results.filter(({ settings }) => settings.slowMs === SLOW_MS));
    const knee = sizes.findIndex(({ fastMs }) => fastMs < UNNOTICED_MS);
    if (knee < 1) {
      return wrong('There is no run with --slow-ms 2000 yet in which one size is enough for the Ferraris and a smaller one is not.');
    }
    const { size } = sizes[knee];
    if (sizes[knee - 1].size < size - 1) {
      return wrong(`Measure the sizes between ${sizes[knee - 1].size} and ${size} as well.`);
    }
    if (answer !== size) return wrong(`It is not ${answer}. Compare the column max of /fast.`);
    return right(`${size} connections. The slowest request and the Ferraris have their knees in different places.`);
  },
};
