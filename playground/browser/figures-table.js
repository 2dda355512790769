import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';

/** @import { Screen } from './screens.js' */
/** @import { Prediction } from './simulation.js' */

/**
 * A row for each pool size: what the simulator says, as a bar, and over it what was measured.
 *
 * @param {HTMLTableElement} table
 * @param {Screen} screen
 * @param {Prediction} prediction
 * @param {{ pool: number, isMeasured: boolean, guessMs?: number }} shown isMeasured: this load was measured
 */
export function fillTable(table, { figureOf, measured, published }, prediction, { pool, isMeasured, guessMs }) {
  const rows = prediction.variants.map(({ settings: { poolSize }, predicted }) => ({
    poolSize,
    ms: figureOf(predicted),
    ...(isMeasured && { lab: measured.ms[poolSize], article: published?.ms[poolSize] }),
  }));
  const most = Math.max(
    ...rows.flatMap(({ ms, lab = 0, article = 0 }) => [ms, lab, article]),
    guessMs ?? 0,
    Number.MIN_VALUE,
  );
  table.tBodies[0].replaceChildren(
    ...rows.map((row) => {
      const tr = document.createElement('tr');
      tr.classList.toggle('current', row.poolSize === pool);
      const bar = tr.appendChild(document.createElement('td'));
      bar.className = 'bar';
      bar.append(
        createMark('fill', row.ms / most),
        ...markOf('lab', row.lab, most),
        ...markOf('article', row.article, most),
        ...(row.poolSize === pool ? markOf('guess-mark', guessMs, most) : []),
      );
      const size = document.createElement('th');
      Object.assign(size, { scope: 'row', textContent: String(row.poolSize) });
      tr.prepend(size);
      tr.append(createFigure(row.ms), createFigure(row.lab), ...(published ? [createFigure(row.article)] : []));
      return tr;
    }),
  );
}

/** @param {string} name @param {number | undefined} ms @param {number} most */
function markOf(name, ms, most) {
  return ms === undefined ? [] : [createMark(name, ms / most)];
}

/** @param {string} name @param {number} share */
function createMark(name, share) {
  const mark = document.createElement('i');
  mark.className = name;
  mark.style.setProperty('--share', String(share));
  return mark;
}

/** @param {number | undefined} ms */
function createFigure(ms) {
  const cell = document.createElement('td');
  if (ms === undefined) {
    cell.textContent = '–';
    return cell;
  }
  const data = cell.appendChild(document.createElement('data'));
  data.value = String(ms);
  data.textContent = Number.isFinite(ms) ? formatQuantity(ms, 'ms') : 'no answer';
  return cell;
}
