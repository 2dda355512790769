import { stripVTControlCharacters } from 'node:util';
import { formatCell, isText } from './columns.js';

/** @import { ColumnGroup } from './columns.js' */

/** Characters that a terminal draws in two columns, and in none. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/gu;
const COMBINING = /\p{Mark}/gu;

/** @typedef {'left' | 'right' | 'center'} Alignment */

/**
 * Draws a table as text: the headings of groups, those of columns, a line, and the rows. A cell can have several lines.
 * @template Row
 * @param {ColumnGroup<Row>[]} groups
 * @param {Row[]} rows
 * @param {(line: string, row?: Row) => string} [finish] gets each line, and the row that it is of
 * @returns {string}
 */
export function drawTable(groups, rows, finish = (line) => line) {
  const columns = groups.flatMap(({ heading, headings, columns: members }) =>
    members.map((column, index) => ({
      column,
      heading: headings[index],
      alignment: /** @type {Alignment} */ (isText(column, rows) ? 'left' : 'right'),
      // A second space separates groups.
      indent: heading && index === 0 ? 1 : 0,
    })),
  );
  const cells = rows.map((row) => columns.map(({ column }) => formatCell(column, row, false).split('\n')));
  const widths = columns.map(
    ({ heading, indent }, index) => indent + widestOf([heading, ...cells.flatMap((row) => row[index])]),
  );
  const spans = widenForGroups(groups, widths);
  /** @param {string[]} texts of the columns */
  const drawLine = (texts) =>
    columns
      .map(
        ({ alignment, indent }, index) => ' '.repeat(indent) + align(texts[index], widths[index] - indent, alignment),
      )
      .join(' ');
  /** @param {string} line @param {Row} [row] */
  const finishLine = (line, row) => finish(line.trimEnd(), row);
  return [
    ...(groups.some(({ heading }) => heading)
      ? [finishLine(groups.map(({ heading }, index) => align(heading, spans[index], 'center')).join(' '))]
      : []),
    finishLine(drawLine(columns.map(({ heading }) => heading))),
    ...(rows.length > 0 ? [widths.map((width) => '─'.repeat(width)).join(' ')] : []),
    ...cells.flatMap((row, index) =>
      Array.from({ length: Math.max(...row.map((lines) => lines.length)) }, (_, line) =>
        finishLine(drawLine(row.map((lines) => lines[line] ?? '')), rows[index]),
      ),
    ),
  ].join('\n');
}

/**
 * Widens columns, evenly, under a heading that is wider.
 * @param {ColumnGroup<any>[]} groups
 * @param {number[]} widths of all columns; is changed
 * @returns {number[]} the width of each group
 */
function widenForGroups(groups, widths) {
  let first = 0;
  return groups.map(({ heading, columns: { length } }) => {
    const wanted = widestOf([heading]);
    let width = length - 1 + widths.slice(first, first + length).reduce((sum, each) => sum + each, 0);
    for (let index = 0; index < length && wanted > width; index++) {
      const more = Math.round((wanted - width) / (length - index));
      widths[first + index] += more;
      width += more;
    }
    first += length;
    return width;
  });
}

/** @param {string} text @param {number} width @param {Alignment} alignment */
function align(text, width, alignment) {
  const room = width - widestOf([text]);
  const left = { left: 0, right: room, center: Math.floor(room / 2) }[alignment];
  return ' '.repeat(left) + text + ' '.repeat(room - left);
}

/** Width of the widest text, in columns of a terminal. @param {string[]} texts */
export function widestOf(texts) {
  return texts.reduce((widest, text) => {
    const { length } = stripVTControlCharacters(text).replaceAll(WIDE, '  ').replaceAll(COMBINING, '');
    return Math.max(widest, length);
  }, 0);
}
