import { describe, expect, test } from '@jest/globals';
import { renderTable } from '../../src/report/table.js';
import { widthOf as widthOfStream } from '../../src/cli/terminal-width.js';
import { labs } from '../../src/labs/index.js';
import { mixed } from '../../src/labs/mixed/mixed-lab.js';
import { createSampleResult } from './sample-result.js';

/** @param {string} text */
const widthOf = (text) => Math.max(...text.split('\n').map((line) => line.length));

/** @param {string} text @param {string} key what the row begins with */
const rowOf = (text, key) => text.split('\n')
  .map((line) => line.trim().split(/\s+/))
  .find(([first]) => first === key);

describe('the table', () => {
  test('shows every figure of the mixed lab in one table of at most 80 columns', () => {
    const text = renderTable(mixed, createSampleResult());

    expect(widthOf(text)).toBeLessThanOrEqual(80);
    expect(rowOf(text, '1')).toEqual([
      '1', '10', '0', '10048', '20064', '20071', '13063', '20958', '21117', '21117', '21143', '21000',
      '1.006',
    ]);
    expect(rowOf(text, '3')?.slice(-4)).toEqual(['7054', '9017', '7000', '1.008']);
    expect(rowOf(text, '10')?.slice(-4)).toEqual(['5026', '5019', '5000', '1.005']);
  });

  test('puts the heading of a group, with its unit, over the group', () => {
    const [groups, headings] = renderTable(mixed, createSampleResult()).split('\n');

    const begin = headings.indexOf('p50');
    const end = headings.indexOf('max') + 'max'.length;
    expect(groups.slice(begin, end).trim()).toBe('/fast ms');
  });

  test.each([40, 60, 79])('fits into %i columns by repeating the first column in further tables', (width) => {
    const text = renderTable(mixed, createSampleResult(), { width });

    expect(widthOf(text)).toBeLessThanOrEqual(width);
    for (const figure of ['20071', '13063', '21143', '1.006']) expect(text).toContain(figure);
  });

  test('takes the width there is', () => {
    const result = createSampleResult();
    for (const variant of result.variants) {
      Object.assign(variant, { predicted: { maxMs: 21_010 } });
      Object.assign(variant.measured ?? {}, { pool: { waitP95Ms: 1, waitMaxMs: 2, peakActive: 3, peakWaiting: 4 } });
    }
    const countTables = (/** @type {number} */ width) => renderTable(mixed, result, { width }).match(/^pool /gm)?.length;

    expect([80, 140].map(countTables)).toEqual([2, 1]);
    expect(widthOf(renderTable(mixed, result, { width: 140 }))).toBeGreaterThan(80);
    expect([{ columns: 132 }, { columns: 7 }, {}].map(widthOfStream)).toEqual([132, 40, 80]);
  });

  test('explains the words of the table that are not everyday ones', () => {
    const lab = { ...mixed, glossary: { ratio: 'measured to exact', clone: 'a word that is not in it' } };
    expect(renderTable(lab, createSampleResult())).toMatch(/\n\nratio: measured to exact\n\n/);
    expect(renderTable(lab, createSampleResult())).not.toContain('clone');
    expect(Object.keys(labs.sessions.glossary ?? {})).toContain('clone');
  });

  test('has a second table for what was found, whose words wrap', () => {
    const claim = 'with 100 workers that all ask at the same time, copy is several times as fast as fixed';
    const findings = () => [{ claim, measured: 10.04, published: 1.4 }, { claim: 'one worker', measured: null, published: 1 }];

    const text = renderTable({ ...mixed, findings }, createSampleResult());

    expect(widthOf(text)).toBeLessThanOrEqual(80);
    expect(text).toMatch(/ratio +here +published\n/);
    expect(text).toMatch(/with 100 workers .* 10\.04 +1\.40\n/);
    expect(rowOf(text, 'one')).toEqual(['one', 'worker', '–', '1.00']);
  });

  test('carries no colour codes, since it may go to a file', () => {
    // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
    expect(renderTable(mixed, createSampleResult())).not.toMatch(/\u001b/);
  });

  test('aligns words left and numbers right', () => {
    const result = createSampleResult({ variants: createSampleResult().variants.slice(0, 1) });
    const columns = [
      { heading: 'strategy', value: () => 'copy' },
      { heading: 'seconds', digits: 1, value: () => 1.25 },
    ];

    const [, , row] = renderTable({ ...mixed, columns }, result).split('\n');

    expect(row).toBe('copy         1.3');
  });

  test('shows a dash where there is no figure', () => {
    const result = createSampleResult();
    result.variants[1].published = null;
    result.variants[1].exact = null;

    expect(rowOf(renderTable(mixed, result), '3')?.slice(-4)).toEqual(['7054', '–', '–', '–']);
  });

  test('says why a variant could not run, and still shows what it is compared with', () => {
    const result = createSampleResult();
    Object.assign(result.variants[1], { measured: null, error: 'port 3000 is in use' });

    const text = renderTable(mixed, result);

    expect(text).toContain('! pool 3 did not run: port 3000 is in use');
    expect(rowOf(text, '3')?.slice(-4)).toEqual(['–', '9017', '7000', '–']);
  });

  test('leaves out columns that say nothing of any row', () => {
    expect(renderTable(mixed, createSampleResult())).not.toMatch(/pool wait|off by/);
  });

  test('ends with warnings and the sentence that sums up, wrapped to the width', () => {
    const text = renderTable(mixed, createSampleResult({ warnings: ['the machine was busy'] }));

    expect(text).toContain('! the machine was busy');
    expect(text.replaceAll('\n', ' ')).toMatch(/took 20\.1 s, nearly all of it waiting .* it took 6 ms\.$/);
  });

  test('sums up only what was measured, and nothing if nothing was', () => {
    const result = createSampleResult();
    Object.assign(result.variants[0], { measured: null, error: 'no' });
    expect(renderTable(mixed, result)).toContain('With 3 connections');

    for (const variant of result.variants) Object.assign(variant, { measured: null, error: 'no' });
    expect(renderTable(mixed, result)).toMatch(/pool 10 did not run: no$/);
  });
});
