import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { escapeControls } from '../printable.js';
import { groupColumns, isText, listNotes, pickFilled, sumUp } from './columns.js';
import { FINDING_COLUMNS, listFindings } from './findings.js';
import { formatCell } from './format.js';
import { LOAD_KINDS } from './load-kinds.js';

/** @import { Column, LabView, Result } from './result-types.js' */
/** @import { Group } from './columns.js' */

const QUIET = Object.fromEntries([
  'top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right',
  'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid',
].map((name) => [name, '']));
const RULED = { mid: '─', 'mid-mid': ' ', 'top-mid': ' ' };

/** Longer lines of text are hard to read, however wide the terminal is. */
export const WIDEST_TEXT = 100;

/** What the figures of the findings' table take beside its words, in columns of the terminal. */
const FINDING_FIGURES = 22;

/**
 * A result for a terminal: the table, what its words mean, the findings, then what went wrong, then the lab's sentence. A table that is too wide
 * is cut between groups of columns into several, each of which repeats the first column.
 * @param {LabView} lab
 * @param {Result} result
 * @param {{ width?: number }} [options] columns of the terminal
 * @returns {string}
 */
export function renderTable(lab, result, { width = 80 } = {}) {
  const [key, ...groups] = groupColumns(pickFilled(lab.columns, result.variants));
  const blocks = [[key]];
  for (const group of groups) {
    const block = blocks[blocks.length - 1];
    const isFull = measureWidth(drawBlock([...block, group], result.variants)) > width;
    if (isFull && block.length > 1) blocks.push([key, group]);
    else block.push(group);
  }
  const findings = listFindings(lab, result)
    .map((finding) => ({ ...finding, claim: wrap(finding.claim, width - FINDING_FIGURES) }));
  const summary = sumUp(lab, result);
  const texts = [...listNotes(result).map((note) => `! ${note}`), summary && lab.loadKind ? LOAD_KINDS[lab.loadKind] : '', summary];
  const textWidth = Math.min(width, WIDEST_TEXT);
  const tables = blocks.map((block) => drawBlock(block, result.variants));
  return escapeControls([
    ...tables,
    explainWords(lab, tables.join('\n')).map((text) => wrap(text, textWidth)).join('\n'),
    ...(findings.length > 0 ? [renderRows(FINDING_COLUMNS, findings)] : []),
    ...texts.map((text) => wrap(text, textWidth)),
  ].filter(Boolean).join('\n\n'));
}

/**
 * @param {Pick<LabView, 'glossary'>} lab
 * @param {string} text those of the lab's words that are in it are explained
 */
function explainWords({ glossary = {} }, text) {
  return Object.entries(glossary).filter(([word]) => text.includes(word)).map(([word, meaning]) => `${word}: ${meaning}`);
}

/**
 * Rows of anything for a terminal.
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 * @returns {string}
 */
export function renderRows(columns, rows) {
  return drawBlock(groupColumns(columns), rows);
}

/**
 * @template Row
 * @param {Group<Row>[]} groups the first holds the column that names the row
 * @param {Row[]} rows
 */
function drawBlock(groups, rows) {
  const table = new Table({
    chars: { ...QUIET, middle: ' ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  // A second blank sets groups apart: it costs no ink and little width.
  const cells = groups.flatMap(({ heading, headings, columns }) => columns.map((column, index) => ({
    column,
    heading: headings[index],
    hAlign: /** @type {'left' | 'right'} */ (isText(column, rows) ? 'left' : 'right'),
    style: { 'padding-left': heading && index === 0 ? 1 : 0 },
  })));
  if (groups.some(({ heading }) => heading)) {
    table.push(groups.map(({ heading, columns }) => (
      { content: heading, colSpan: columns.length, hAlign: /** @type {const} */ ('center') }
    )));
  }
  table.push(cells.map(({ heading, hAlign, style }) => ({ content: heading, hAlign, style })));
  for (const [index, row] of rows.entries()) {
    table.push(cells.map(({ column, hAlign, style }) => (
      { content: formatCell(column, row, false), hAlign, style, chars: index === 0 ? RULED : {} }
    )));
  }
  return table.toString().split('\n').map((line) => line.trimEnd()).join('\n');
}

/** @param {string} text */
function measureWidth(text) {
  return Math.max(...text.split('\n').map((line) => line.length));
}

/**
 * @param {string} text may hold a terminal's control sequences, which take no room
 * @param {number} width
 */
export function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = `${lines[lines.length - 1]} ${word}`.trim();
    if (stripVTControlCharacters(line).length > width) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.filter(Boolean).join('\n');
}
