import { describe, expect, jest, test } from '@jest/globals';
import { renderRows, renderTable, widthOf as widthOfStream } from '../../report/table.js';
import { labs } from '../../labs/index.js';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import { renderHtml } from '../../report/html.js';
import { savedRun } from '../support/saved-runs.js';
import { createSampleResult } from './sample-result.js';
import { formatCell, pickFilled } from '../../report/columns.js';
import { describeChart, layOutChart, layOutComparison } from '../../report/chart-data.js';
import { nameRuns } from '../../report/name-runs.js';

/** @param {string} text */
const widthOf = (text) => Math.max(...text.split('\n').map((line) => line.length));

/** @param {string} text @param {string} key what the row begins with */
const rowOf = (text, key) =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([first]) => first === key);

describe('the table', () => {
  test('shows every figure of the mixed lab in one table of at most 80 columns', () => {
    const text = renderTable(mixed, createSampleResult());

    expect(widthOf(text)).toBeLessThanOrEqual(80);
    expect(rowOf(text, '1')?.join(' ')).toBe('1 50 10048 20064 20071 13063 20958 21117 21117 21143 21000 1.006');
    expect(rowOf(text, '3')?.slice(-4)).toEqual(['7054', '9017', '7000', '1.008']);
    expect(rowOf(text, '10')?.slice(-4)).toEqual(['5026', '5019', '5000', '1.005']);
  });

  test('puts the heading of a group, with its unit, over the group', () => {
    const [, table] = renderTable(mixed, createSampleResult()).split('\n\n');
    const [groups, headings] = table.split('\n');

    const begin = headings.indexOf('p50');
    const end = headings.indexOf('max') + 'max'.length;
    expect(groups.slice(begin, end).trim()).toBe('/fast ms');
  });

  test.each([40, 60, 79])('fits into %i columns by repeating the first column in further tables', (width) => {
    const text = renderTable(mixed, createSampleResult(), { width });

    expect(widthOf(text)).toBeLessThanOrEqual(width);
    for (const figure of ['20071', '13063', '21143', '1.006']) expect(text).toContain(figure);
  });

  test('leaves out columns of zeros, and percentiles of fewer than 20 requests', () => {
    const result = createSampleResult();
    const headings = () =>
      renderTable(mixed, result)
        .match(/^pool .*$/m)?.[0]
        .trim()
        .split(/ +/);
    expect(headings()).toEqual('pool reqs p50 p95 max p50 p95 max max article exact ratio'.split(' '));
    for (const { measured } of result.variants) Object.assign(measured.routes['/slow'], { count: 19 });
    Object.assign(result.variants[2].measured, { failures: 1 });
    expect(headings()).toEqual('pool reqs fail p50 p95 max max max article exact ratio'.split(' '));
  });

  test('leaves out rows without figures, except in its first part', () => {
    const result = createSampleResult();
    result.variants[1].published = null;
    const columns = [
      { heading: 'pool', value: (/** @type {any} */ { settings }) => settings.poolSize },
      { heading: 'slowest request of all', value: (/** @type {any} */ { measured }) => measured.maxMs },
      { heading: 'slowest in the article', value: (/** @type {any} */ { published }) => published?.maxMs },
    ];
    const rows = renderTable({ ...mixed, columns }, result, { width: 40 }).match(/^ +\d+ +\S+$/gm);
    expect(rows?.map((row) => Number(row.trim().split(' ')[0]))).toEqual([1, 3, 10, 1, 10]);
  });

  test('takes the width there is', () => {
    const result = createSampleResult();
    const countTables = (/** @type {number} */ width) =>
      renderTable(mixed, result, { width }).match(/^pool /gm)?.length;

    expect([60, 140].map(countTables)).toEqual([2, 1]);
    expect(widthOf(renderTable(mixed, result, { width: 140 }))).toBeGreaterThan(60);
    expect([{ columns: 132 }, { columns: 7 }, {}].map(widthOfStream)).toEqual([132, 40, 80]);
  });

  test('leaves details to the page, and the ratios of an experiment that nobody published', () => {
    const result = createSampleResult();
    for (const variant of result.variants) Object.assign(variant, { predicted: { maxMs: 21_010 } });
    expect(renderTable(mixed, result)).not.toContain('off by');
    expect(renderHtml([{ lab: mixed, result }])).toContain('off by');

    const lab = labs.remedies;
    const run = savedRun('quiet 08');
    expect(renderTable(lab, run).split('\n').length).toBeLessThanOrEqual(24);
    expect(widthOf(renderTable(lab, run))).toBeLessThanOrEqual(80);
    expect(renderTable(lab, run)).not.toContain('pool 5 / pool 20');
    expect(renderHtml([{ lab, result: run }])).toContain('pool 5 / pool 20');
  });

  test('says no percentage where the figure is a few milliseconds', () => {
    const result = createSampleResult();
    for (const variant of result.variants) Object.assign(variant, { predicted: { maxMs: 4 } });
    expect(renderHtml([{ lab: mixed, result }])).not.toContain('off by');
  });

  test('explains the words of the table that are not everyday ones', () => {
    const lab = { ...mixed, glossary: { ratio: 'measured to exact', clone: 'a word that is not in it' } };
    expect(renderTable(lab, createSampleResult())).toMatch(/\n\nratio: measured to exact\narticle: with 3 .*\n/);
    expect(renderTable(lab, createSampleResult())).not.toContain('clone');
    expect(Object.keys(labs.sessions.glossary ?? {})).toContain('clone');
  });

  test('has a second table for what was found, whose words wrap', () => {
    const claim = 'with 100 workers that all ask at the same time, copy is several times as fast as fixed';
    const findings = () => [
      { claim, measured: 10.04, published: 1.4, reason: 'while a query travels, another one can, too' },
      { claim: 'one worker', measured: null, published: 1 },
    ];

    const text = renderTable({ ...mixed, findings }, createSampleResult());

    expect(widthOf(text)).toBeLessThanOrEqual(80);
    expect(text).toMatch(/ratio +here +published\n/);
    expect(text).toMatch(/with 100 workers .* 10\.04 +1\.40\n/);
    expect(text).toMatch(/\n {2}while a query travels, another one can, too\none worker/);
    expect(rowOf(text, 'one')).toEqual(['one', 'worker', '–', '1.00']);
  });

  test('carries no colour codes, since it may go to a file', () => {
    // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
    expect(renderTable(mixed, createSampleResult())).not.toMatch(/\u001b/);
  });

  test('asks for each value as often in a table of many rows as in many small tables', () => {
    const value = jest.fn(() => 7);
    const countCalls = (/** @type {number} */ tables, /** @type {number} */ rows) => {
      value.mockClear();
      for (let drawn = 0; drawn < tables; drawn++) renderRows([{ heading: 'a', value }], Array(rows).fill({}));
      return value.mock.calls.length;
    };
    expect(countCalls(1, 1000)).toBe(countCalls(100, 10));
  });

  test('keeps its columns where characters are wide, or take no room', () => {
    const [variant] = createSampleResult().variants;
    const names = ['abcdef', '日本語', 'e\u0301tape2'];
    const result = createSampleResult({ variants: names.map((name) => ({ ...variant, name })) });
    const columns = [
      { heading: 'name', value: (/** @type {any} */ { name }) => name },
      { heading: 'n', value: () => 7 },
    ];
    expect(
      renderTable({ ...mixed, columns }, result)
        .split('\n\n')[1]
        .split('\n')
        .slice(2),
    ).toEqual(names.map((name) => `${name} 7`));
  });

  test('paints the answer, what failed, and no control characters of a result', () => {
    const result = createSampleResult({ warnings: ['\u001b[31mhostile'] });
    Object.assign(result.variants[0].measured ?? {}, { failures: 2 });
    const judge = (/** @type {any} */ { settings }, /** @type {any} */ { variants }) =>
      settings.poolSize === variants[1].settings.poolSize ? /** @type {const} */ ('answer') : undefined;
    const paint = (/** @type {any} */ style, /** @type {string} */ text) => `<${style}>${text}</>`;
    const paintedLines = (/** @type {{ isFirst?: boolean }} */ options) =>
      renderTable({ ...mixed, judge }, result, { paint, ...options })
        .split('\n')
        .filter((line) => line.startsWith('<'));
    const painted = [
      expect.stringMatching(/^<red> +1 .*<\/>$/),
      expect.stringMatching(/^<bold,green> +3 .*<\/>$/),
      '<red>! \\u001b[31mhostile</>',
    ];
    expect(paintedLines({})).toEqual([expect.stringMatching(/^<bold>With 1 connection/), ...painted]);
    expect(paintedLines({ isFirst: false })).toEqual(painted);
  });

  test('aligns words left and numbers right', () => {
    const result = createSampleResult({ variants: createSampleResult().variants.slice(0, 1) });
    const columns = [
      { heading: 'strategy', value: () => 'copy' },
      { heading: 'seconds', digits: 1, value: () => 1.25 },
    ];

    const [, table] = renderTable({ ...mixed, columns }, result).split('\n\n');

    expect(table.split('\n')[2]).toBe('copy         1.3');
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

  test('begins with the sentence that sums up, wrapped to the width, and ends with warnings', () => {
    const result = createSampleResult({ warnings: ['the machine was busy'] });
    const [summary, ...rest] = renderTable(mixed, result).split('\n\n');

    expect(summary.replaceAll('\n', ' ')).toBe(mixed.takeaway(result));
    expect(rest).toContain('! the machine was busy');
  });

  test('sums up only what was measured, and nothing if nothing was', () => {
    const result = createSampleResult();
    Object.assign(result.variants[0], { measured: null, error: 'no' });
    expect(renderTable(mixed, result)).toContain('With 3 connections');

    for (const variant of result.variants) Object.assign(variant, { measured: null, error: 'no' });
    expect(renderTable(mixed, result)).toMatch(/pool 10 did not run: no$/);
  });
});

describe('columns', () => {
  test.each([
    { times: [2.84, 40.2], cells: ['2.8', '40.2'] },
    // Beside hundreds of ms, a tenth is noise.
    { times: [2.84, 7730.4], cells: ['3', '7730'] },
    { times: [5, 40], cells: ['5', '40'] },
    { times: [5, 2.84, null], cells: ['5.0', '2.8', '–'] },
  ])('times of one column have the same digits: $times', ({ times, cells }) => {
    const rows = times.map((ms) => ({ ms }));
    const [column] = pickFilled(
      [{ heading: 'p95', digits: 'times', value: (/** @type {{ ms: number | null }} */ { ms }) => ms }],
      rows,
    );
    expect(rows.map((row) => formatCell(column, row, false))).toEqual(cells);
  });
});

describe('charts', () => {
  const [spec] = mixed.charts;
  /** @type {import('../../report/result-types.js').ChartSpec} */
  const lineSpec = { ...spec, kind: 'line', series: [spec.series[1], spec.series[3]] };

  describe('a chart', () => {
    test('shows long times in seconds and says each value in words', () => {
      const { yTitle, series } = layOutChart(spec, createSampleResult());

      expect(yTitle).toBe('Response time, seconds');
      expect(series[0].values).toEqual([21.117, 7.054, 5.026]);
      expect(series[1].texts).toEqual(['20.1 s', '2.0 s', '6 ms']);
    });

    test('keeps milliseconds where all are short, and on a logarithmic axis', () => {
      const fast = createSampleResult();
      fast.variants = fast.variants.slice(2);
      const fastOnly = { ...spec, series: [spec.series[1]] };

      expect(layOutChart(fastOnly, fast).yTitle).toBe('Response time, milliseconds');
      expect(layOutChart({ ...spec, log: true }, createSampleResult()).series[0].values[0]).toBe(21117);
    });

    test('gives each measured series a colour and the others the colour of their role', () => {
      const result = createSampleResult();
      result.variants[0].predicted = { maxMs: 21_010 };

      expect(layOutChart(spec, result).series.map(({ look }) => look)).toEqual([
        'measured-6',
        'measured-2',
        'predicted',
        'exact',
        'published',
      ]);
    });

    test('marks on the bars of a route what they are compared with', () => {
      const result = createSampleResult();
      result.variants[0].predicted = { maxMs: 21_010 };
      const marks = (/** @type {typeof spec} */ each) => layOutChart(each, result).series.map(({ on }) => on);

      expect(marks(spec)).toEqual([undefined, undefined, 0, 0, 0]);
      // Without the bars, and in other charts, they stand alone.
      expect(marks({ ...spec, series: spec.series.slice(1) })).toEqual(Array(4).fill(undefined));
      expect(marks({ ...spec, kind: 'dot' })).toEqual(Array(5).fill(undefined));
    });

    test('has the bus in blue and the Ferrari in orange, in whatever order they come', () => {
      const value = () => 1;
      /** @param {(string | undefined)[]} routes */
      const looksOf = (routes) =>
        layOutChart(
          {
            ...spec,
            series: routes.map((route, index) => ({ label: String(index), role: 'measured', route, value })),
          },
          createSampleResult(),
        ).series.map(({ look, dash }) => `${look} ${dash}`);

      expect(looksOf(['/fast', '/slow'])).toEqual(['measured-2 0', 'measured-1 0']);
      expect(looksOf(['/fast', '/pool', undefined])).toEqual(['measured-2 0', 'measured-6 0', 'measured-3 0']);
      expect(looksOf(['/pool', '/slow', 'constructor'])).toEqual(['measured-6 0', 'measured-1 0', 'measured-3 0']);
      expect(looksOf(['/fast', '/fast', '/fast'])).toEqual(['measured-2 0', 'measured-2 1', 'measured-2 2']);
    });

    test('of any lab has the same colours for routes, and no bars on a logarithmic axis', () => {
      const charts = Object.values(labs).flatMap((lab) => lab.charts.map((chart) => ({ lab: lab.name, chart })));
      const perRoute = charts.flatMap(({ lab, chart }) =>
        chart.series.flatMap(({ label, route }) =>
          [label.match(/\/(slow|fast)/)?.[0] === route ? [] : `${lab}: ${label}`].flat(),
        ),
      );
      expect(perRoute).toEqual([]);
      expect(charts.filter(({ chart }) => chart.kind !== 'line' && chart.log)).toEqual([]);
      const dots = charts.filter(({ chart }) => chart.kind === 'dot');
      expect(dots.map(({ lab }) => lab)).toEqual(['inserts', 'remedies']);
      expect(layOutChart({ ...spec, kind: 'dot' }, createSampleResult())).toMatchObject({ log: true });
    });

    test('leaves a gap where a variant was not measured', () => {
      const result = createSampleResult();
      result.variants[1].measured = null;

      const { series } = layOutChart(spec, result);

      expect(series[0].values).toEqual([21.117, null, 5.026]);
      expect(series[0].texts[1]).toBe('');
      expect(series[2].values[1]).toBe(7);
    });

    test('leaves out a series that has no value at all', () => {
      const { series } = layOutChart(spec, createSampleResult());

      expect(series.map(({ label }) => label)).not.toContain('Slowest of all, predicted');
    });

    test('as a line has one point for all variants of a category', () => {
      const [one] = createSampleResult().variants;
      const variants = [8, 64, 8].map((workers, index) => ({ ...one, name: String(index), settings: { workers } }));
      /** @param {string} name */
      const valueOf = (name) => (/** @type {import('../../report/result-types.js').Variant} */ variant) =>
        variant.name === name ? 1 : null;

      const { categories, series } = layOutChart(
        {
          ...lineSpec,
          category: ({ settings }) => String(settings.workers),
          series: ['0', '1', '2'].map((name) => ({ label: name, role: 'measured', value: valueOf(name) })),
        },
        createSampleResult({ variants }),
      );

      expect(categories).toEqual([['8'], ['64']]);
      expect(series.map(({ values }) => values)).toEqual([
        [1, null],
        [null, 1],
        [1, null],
      ]);
    });

    test('can be described in words', () => {
      const chart = layOutChart({ ...spec, series: spec.series.slice(0, 2) }, createSampleResult());

      expect(describeChart(chart)).toBe(
        'Bar chart: The longest wait for an answer. ' +
          '1 connection: Slowest request of all 21.1 s; Slowest /fast request 20.1 s. ' +
          '3 connections: Slowest request of all 7.1 s; Slowest /fast request 2.0 s. ' +
          '10 connections: Slowest request of all 5.0 s; Slowest /fast request 6 ms.',
      );
    });
  });

  test('lines of several runs differ in dashes, and a category that a run lacks is a gap', () => {
    const shorter = createSampleResult();
    shorter.variants = shorter.variants.filter(({ name }) => name !== 'pool 3');

    const { categories, series } = layOutComparison(lineSpec, nameRuns([createSampleResult(), shorter]));

    expect(categories).toEqual([['1 connection'], ['3 connections'], ['10 connections']]);
    expect(series.map(({ label, dash }) => [label, dash])).toEqual([
      ['Slowest /fast request, run A', 0],
      ['Slowest /fast request, run B', 1],
    ]);
    expect(series[1].values).toEqual([20.071, null, 0.006]);
  });

  describe('a time series', () => {
    const spec = {
      ...lineSpec,
      series: [],
      timeSeries: (/** @type {import('../../report/result-types.js').Variant} */ { measured }) => measured?.timeSeries,
    };
    const timeSeries = [{ '0.0': 3, 0.5: 900 }, null, { 0.5: 4, '1.0': 5 }];
    const result = createSampleResult();
    for (const [index, { measured }] of result.variants.entries())
      Object.assign(measured ?? {}, { timeSeries: timeSeries[index] });

    test('is a line for each variant that has one, over the points of all', () => {
      const { categories, series } = layOutChart(spec, result);
      expect(categories).toEqual([['0.0'], ['0.5'], ['1.0']]);
      expect(series.map(({ label, look, values }) => [label, look, values])).toEqual([
        ['1 connection', 'measured-6', [3, 900, null]],
        ['10 connections', 'measured-3', [null, 4, 5]],
      ]);
    });

    test('has a dash pattern for each of several runs', () => {
      const { series } = layOutComparison(
        spec,
        nameRuns([result, { ...result, startedAt: '2026-02-01T00:00:00.000Z' }]),
      );
      expect(series.map(({ label, look, dash }) => [label, look, dash])).toEqual([
        ['1 connection, run A', 'measured-6', 0],
        ['10 connections, run A', 'measured-3', 0],
        ['1 connection, run B', 'measured-6', 1],
        ['10 connections, run B', 'measured-3', 1],
      ]);
    });
  });
});
