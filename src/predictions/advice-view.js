/** @import { Advice, Row } from 'mongodb-pool-predictor' */
/** @import { Column, LabView, Result } from '../report/result-types.js' */

/** The advised size, one less and one more, as a table. @param {Advice} advice @returns {[LabView, Result]} */
export function createAdviceView({ rows, loads, seeds }) {
  const sizes = [...new Set(rows.map(({ poolSize }) => poolSize))];
  const rowOf = (/** @type {number} */ size, /** @type {number} */ factor) => (
    /** @type {Row} */ (rows.find((row) => row.poolSize === size && row.factor === factor)));
  /** @type {Column[]} */
  const columns = loads.flatMap(({ factor }) => {
    const group = `load x${factor},`;
    /** @param {(row: Row) => number} figure @returns {Column['value']} */
    const of = (figure) => ({ settings }) => figure(rowOf(settings.poolSize, factor));
    return [
      ...rows[0].goals.flatMap(({ text }, goal) => {
        const heading = text.replace(/ <.*/, '');
        return [
          { group: `${group} ms`, heading, value: of(({ goals }) => goals[goal].medianMs) },
          ...(seeds > 1
            ? [{ group: `${group} ms`, heading: 'at most', value: of(({ goals }) => goals[goal].upperMs) }]
            : []),
        ];
      }),
      { group, heading: 'used %', value: of(({ utilisation }) => utilisation * 100) },
      { group, heading: 'queue', value: of(({ peakWaiting }) => peakWaiting) },
    ];
  });
  return [
    {
      name: 'advise', title: 'Advice', question: '', howToRead: [], charts: [], takeaway: () => '',
      columns: [{ heading: 'pool', value: ({ settings }) => settings.poolSize }, ...columns],
    },
    {
      lab: 'advise', startedAt: '', environment: {}, settings: {},
      variants: sizes.map((poolSize) => ({ name: `pool ${poolSize}`, settings: { poolSize }, measured: null })),
    },
  ];
}
