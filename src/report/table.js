import Table from 'cli-table3';
import { escapeControls, wrap } from '../printable.js';
import { groupColumns, isText, listNotes, pickFilled, sumUp } from './columns.js';
import { FINDING_COLUMNS, listFindings } from './findings.js';
import { formatCell } from './format.js';
import { LOAD_KINDS } from './load-kinds.js';

/** @import { Column, Finding, LabView, Result } from './result-types.js' */
/** @import { Group } from './columns.js' */

const QUIET = Object.fromEntries([
  'top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right',
  'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid',
].map((name) => [name, '']));
const RULED = { mid: '─', 'mid-mid': ' ', 'top-mid': ' ' };

/** Longer lines are hard to read, however wide the terminal is. */
export const WIDEST_TEXT = 100;

/** Width of the findings' table without its first column, and of the column that not all labs have. */
const FINDING_FIGURES = 22;
const FINDING_SPREAD = 14;

/**
 * A result for a terminal: table, glossary, findings, errors and warnings, then the lab's sentence. A table that is too
 * wide is split between groups of columns; each part repeats the first column.
 * @param {LabView} lab
 * @param {Result} result
 * @param {{ width?: number }} [options] of the terminal
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
  const findings = wrapClaims(listFindings(lab, result), width);
  const summary = sumUp(lab, result);
  const texts = [...listNotes(result).map((note) => `! ${note}`), summary && lab.loadKind ? LOAD_KINDS[lab.loadKind] : '', summary];
  const textWidth = Math.min(width, WIDEST_TEXT);
  const tables = blocks.map((block) => drawBlock(block, result.variants));
  return escapeControls([
    ...tables,
    explainWords(lab, tables.join('\n')).map((text) => wrap(text, textWidth)).join('\n'),
    ...(findings.length > 0 ? [renderFindings(findings)] : []),
    ...texts.map((text) => wrap(text, textWidth)),
  ].filter(Boolean).join('\n\n'));
}

/** @param {Finding[]} findings @param {number} width of the terminal */
function wrapClaims(findings, width) {
  const figures = FINDING_FIGURES + (findings.some(({ spread }) => spread) ? FINDING_SPREAD : 0);
  return findings.map((finding) => ({ ...finding, claim: wrap(finding.claim, width - figures) }));
}

/** @param {Finding[]} findings */
function renderFindings(findings) {
  const hasSpread = findings.some(({ spread }) => spread);
  return renderRows(FINDING_COLUMNS.filter(({ heading }) => heading !== 'spread' || hasSpread), findings);
}

/** @param {Pick<LabView, 'glossary'>} lab @param {string} text only words that are in it are explained */
function explainWords({ glossary = {} }, text) {
  return Object.entries(glossary).filter(([word]) => text.includes(word)).map(([word, meaning]) => `${word}: ${meaning}`);
}

/**
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 * @returns {string}
 */
export function renderRows(columns, rows) {
  return drawBlock(groupColumns(columns), rows);
}

/** @template Row @param {Group<Row>[]} groups the first holds the column that names the row @param {Row[]} rows */
function drawBlock(groups, rows) {
  const table = new Table({
    chars: { ...QUIET, middle: ' ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  // A second space separates groups.
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
