import { expect, test } from '@jest/globals';
import { formatCell, pickFilled } from '../../report/columns.js';

test.each([
  [
    [2.84, 40.2],
    ['2.8', '40.2'],
  ],
  // Beside hundreds of ms, a tenth is noise.
  [
    [2.84, 7730.4],
    ['3', '7730'],
  ],
  [
    [5, 40],
    ['5', '40'],
  ],
  [
    [5, 2.84, null],
    ['5.0', '2.8', '–'],
  ],
])('times of one column have the same digits: %j', (times, cells) => {
  const rows = times.map((ms) => ({ ms }));
  const [column] = pickFilled(
    [{ heading: 'p95', digits: 'times', value: (/** @type {{ ms: number | null }} */ { ms }) => ms }],
    rows,
  );
  expect(rows.map((row) => formatCell(column, row, false))).toEqual(cells);
});
