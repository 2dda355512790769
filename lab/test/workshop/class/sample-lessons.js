/** Of a class that has nothing to do with the real ones. */
export const LESSONS = [
  {
    name: '01-first',
    title: 'The first',
    question: 'How long?',
    unit: 'seconds',
    tasks: ['01-first', '01-first/twist'],
  },
  { name: '02-second', title: 'The second', tasks: ['02-second'] },
];

/** @type {import('../../../workshop/class-report.js').LearnerFigures} */
export const FIGURES = {
  measured: 20,
  points: [
    [1, 21_000],
    [3, 7000],
  ],
};
