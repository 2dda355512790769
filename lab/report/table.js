import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { paintText } from '../base/paint.js';
import { escapeControls, wrap } from '../../src/base/printable.js';
import { DASH, formatCell, groupColumns, pickFilled, pickMain } from './columns.js';
import { drawTable, widestOf } from './draw-table.js';
import { FINDING_COLUMNS, listFindings, listNotes, LOAD_KINDS, sumUp } from './findings.js';
import { describeMachine } from './machine.js';

/** @import { Column, Finding, LabView, Result, Variant } from './result-types.js' */
/** @import { ColumnGroup } from './columns.js' */
/** @import { Paint, Style } from '../base/paint.js' */

/** Longer lines are hard to read, however wide the terminal is. */
export const MAX_TEXT_WIDTH = 100;
const MIN_COLUMNS = 40;
const FILE_COLUMNS = 80;

/** @param {{ columns?: number }} stream @returns {number} how many columns a table may use there */
export function widthOf({ columns = FILE_COLUMNS }) {
  return Math.max(MIN_COLUMNS, columns);
}

/** Text for a terminal of this width. @param {string} text @param {number} width */
export function layOutText(text, width) {
  return escapeControls(wrap(text, Math.min(width, MAX_TEXT_WIDTH)));
}

/** Width of the findings' table without its first column, and of the column that not all labs have. */
const FINDING_FIGURES = 22;
const FINDING_SPREAD = 14;

/**
 * Renders a result for a terminal: the lab's sentence, table, glossary, findings of a published experiment, errors and
 * warnings. A table that is too wide is split between groups of columns; each part repeats the first column. The page
 * has the rest.
 * @param {LabView} lab
 * @param {Result} result
 * @param {{ width?: number, paint?: Paint, isFirst?: boolean }} [options] width and paint: of the terminal; isFirst:
 *   whether the sentence is the first of the output, and so the answer
 * @returns {string}
 */
export function renderTable(lab, result, { width = 80, paint, isFirst = true } = {}) {
  const columns = pickMain(lab.columns);
  /** @param {string} line @param {Variant} [variant] */
  const finish = (line, variant) =>
    paintText(escapeControls(line), variant && chooseStyle(lab, variant, result), paint);
  const [key, ...groups] = groupColumns(pickFilled(columns, result.variants));
  const blocks = [[key]];
  for (const group of groups) {
    const block = blocks[blocks.length - 1];
    const isFull = widestOf(drawTable([...block, group], result.variants).split('\n')) > width;
    if (isFull && block.length > 1) blocks.push([key, group]);
    else block.push(group);
  }
  const findings = lab.source ? wrapClaims(listFindings(lab, result), width) : [];
  const summary = sumUp(lab, result);
  const texts = [
    ...listNotes(result).map((note) => `! ${note}`),
    [summary && lab.loadKind && LOAD_KINDS[lab.loadKind], describeMachine(result)].filter(Boolean).join(' '),
  ];
  // After the first part, a row without figures would say nothing.
  const tables = blocks.map((block, index) => {
    const rows = result.variants.filter((variant) => index === 0 || hasFigure(block, variant));
    return drawTable(block, rows, finish);
  });
  const words = [...explainWords(lab, tables.join('\n')), lab.footnote?.(result) ?? '']
    .filter(Boolean)
    .map((text) => layOutText(text, width));
  return [
    paintText(layOutText(summary, width), isFirst ? 'bold' : undefined, paint),
    ...tables,
    words.join('\n'),
    ...(findings.length > 0 ? [escapeControls(renderFindings(findings))] : []),
    ...texts.map((text) => paintText(layOutText(text, width), text.startsWith('!') ? 'red' : undefined, paint)),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** @type {Record<'answer' | 'good' | 'bad', Style>} */
const STYLES = { answer: ['bold', 'green'], good: 'green', bad: 'red' };

/** @param {LabView} lab @param {Variant} variant @param {Result} result @returns {Style | undefined} */
function chooseStyle({ judge }, variant, result) {
  const { error, measured, predicted } = variant;
  const hasFailed = error || measured?.failures > 0 || predicted?.failures > 0;
  const verdict = hasFailed ? 'bad' : judge?.(variant, result);
  return verdict && STYLES[verdict];
}

/** @param {ColumnGroup[]} block the first group names the row @param {Variant} variant */
function hasFigure([, ...groups], variant) {
  return groups.some(({ columns }) => columns.some((column) => formatCell(column, variant) !== DASH));
}

/** What another program found, and the reason, stand below. @param {Finding[]} findings @param {number} width */
function wrapClaims(findings, width) {
  const figures = FINDING_FIGURES + (findings.some(({ spread }) => spread) ? FINDING_SPREAD : 0);
  return findings.map(({ claim, peer, reason = '', ...finding }) => ({
    ...finding,
    claim: [
      wrap(claim, width - figures),
      peer && `  ${peer.label}: ${formatNumber(peer.ratio, 2)}`,
      wrap(reason, width - figures - 2).replaceAll(/^(?=.)/gm, '  '),
    ]
      .filter(Boolean)
      .join('\n'),
  }));
}

/** @param {Finding[]} findings */
function renderFindings(findings) {
  const hasSpread = findings.some(({ spread }) => spread);
  return renderRows(
    FINDING_COLUMNS.filter(({ heading }) => heading !== 'spread' || hasSpread),
    findings,
  );
}

/** @param {Pick<LabView, 'glossary'>} lab @param {string} [text] only its words are explained; default: all */
export function explainWords({ glossary = {} }, text) {
  return Object.entries(glossary)
    .filter(([word]) => text?.includes(word) ?? true)
    .map(([word, meaning]) => `${word}: ${meaning}`);
}

/**
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 * @returns {string}
 */
export function renderRows(columns, rows) {
  return drawTable(groupColumns(columns), rows);
}
