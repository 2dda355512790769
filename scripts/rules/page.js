// The figures and the chart of docs/rules.md.
import { fillPlaces } from '../corpus/fill-pages.js';
import { renderRows } from '../corpus/render-rows.js';
import { RULES } from './rules.js';
import { GROUPS, judgeMeasured, scoreRules } from './table.js';

/** @import { MeasuredRow, Score } from './table.js' */

const ROW = 22;
const [LEFT, WIDTH, TOP] = [250, 480, 40];
const PARTS = /** @type {const} */ (['small', 'right', 'large']);

/** @param {string} text of the page @param {MeasuredRow[]} rows @returns {string} the page with their figures */
export function fillPage(text, rows) {
  const parts = { figures: describe(rows), rules: renderScores(rows), sources: renderSources() };
  const places = Object.entries(parts).map(([name, words]) => ({
    place: new RegExp(`(?<=<!-- ${name} -->\n).*(?=\n<!-- /${name} -->)`, 's'),
    words,
  }));
  return fillPlaces(text, places, 'docs/rules.md');
}

/** @param {MeasuredRow[]} rows */
function describe(rows) {
  const loads = [...new Map(rows.map((row) => [row.load, row.group])).values()];
  const [even, varied, callers] = GROUPS.map((group) => loads.filter((each) => each === group).length);
  const { pairs, measured, inBand } = judgeMeasured(rows);
  return (
    `Of the ${loads.length} loads, ${even} are even, ${varied} are varied and ${callers} come from callers. The ` +
    `rules give ${pairs} pairs of a load and a size.\nAll are simulated. ${measured} were also measured, and ` +
    `${inBand} of these (${Math.round((100 * inBand) / measured)} %) lie within their predicted 90 % band.`
  );
}

/** @param {MeasuredRow[]} rows */
function renderScores(rows) {
  const headings = ['rule', 'gives', 'right', 'too small', 'p95 then', 'too large', 'connections then'];
  return renderRows(
    [...headings, ...GROUPS.map((group) => `right: ${group}`)],
    scoreRules(rows).map(({ rule, sizes, right, small, large, slower, larger, groups }) => [
      rule,
      [...new Set([sizes[0], sizes[sizes.length - 1]])].join(' to '),
      `${right} of ${right + small + large}`,
      String(small),
      formatFactors(slower),
      String(large),
      formatFactors(larger),
      ...groups.map(([of, all]) => (all === 0 ? '–' : `${of} of ${all}`)),
    ]),
  );
}

/** @param {Score['slower']} factors median and worst */
function formatFactors(factors) {
  if (factors === null) return '–';
  const [middle, worst] = factors.map((factor) => `x ${factor.toFixed(factor < 10 ? 1 : 0)}`);
  return `${middle}, worst ${factors[1] === Infinity ? 'no answer' : worst}`;
}

function renderSources() {
  return renderRows(
    ['rule', 'what its source says, in our words', 'its own limits'],
    RULES.map(({ name, url, says, limits }) => [`[${name}](${url})`, says, limits]),
  );
}

/**
 * Draws a bar for each rule: the loads for which it is too small, right, and too large.
 *
 * @param {MeasuredRow[]} rows
 * @returns {string} SVG
 */
export function drawChart(rows) {
  const scores = scoreRules(rows);
  const height = TOP + scores.length * ROW + 8;
  const bars = scores.map((score, index) => {
    const y = TOP + index * ROW;
    const all = score.right + score.small + score.large;
    let x = LEFT;
    const shown = PARTS.filter((part) => score[part] > 0).map((part) => {
      const width = (WIDTH * score[part]) / all;
      const [from, middle] = [x, x + width / 2];
      x += width;
      return (
        `<rect class="${part}" x="${from.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 4}"/>` +
        `<text class="on" x="${middle.toFixed(1)}" y="${y + 13}">${score[part]}</text>`
      );
    });
    return `<text class="name" x="${LEFT - 8}" y="${y + 13}">${score.rule}</text>${shown.join('')}`;
  });
  const keys = { small: 'too small', right: 'right', large: 'too large' };
  const legend = PARTS.map((part, index) => {
    const x = LEFT + index * 110;
    const text = `<text x="${x + 18}" y="24">${keys[part]}</text>`;
    return `<rect class="${part}" x="${x}" y="14" width="12" height="12"/>${text}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + 10} ${height}" role="img">
<title>How often each rule is too small, right and too large; most often right: ${scores[0].rule}</title>
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.name { text-anchor: end; }
.on { text-anchor: middle; fill: #fff; }
.small { fill: #b3261e; }
.right { fill: #0b62c4; }
.large { fill: #57606a; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .on { fill: #fff; } }
</style>
${[...legend, ...bars].join('\n')}
</svg>
`;
}
