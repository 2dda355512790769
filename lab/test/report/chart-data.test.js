import { describe, expect, test } from '@jest/globals';
import { describeChart, layOutChart, layOutComparison } from '../../report/chart-data.js';
import { nameRuns } from '../../report/name-runs.js';
import { labs } from '../../labs/index.js';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import { createSampleResult } from './sample-result.js';

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
      'measured-1',
      'measured-2',
      'predicted',
      'exact',
      'published',
    ]);
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
    expect(looksOf(['/fast', '/pool', undefined])).toEqual(['measured-2 0', 'measured-1 0', 'measured-3 0']);
    expect(looksOf(['/pool', '/slow', 'constructor'])).toEqual(['measured-2 0', 'measured-1 0', 'measured-3 0']);
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
      ['1 connection', 'measured-3', [3, 900, null]],
      ['10 connections', 'measured-4', [null, 4, 5]],
    ]);
  });

  test('has a dash pattern for each of several runs', () => {
    const { series } = layOutComparison(spec, nameRuns([result, { ...result, startedAt: '2026-02-01T00:00:00.000Z' }]));
    expect(series.map(({ label, look, dash }) => [label, look, dash])).toEqual([
      ['1 connection, run A', 'measured-3', 0],
      ['10 connections, run A', 'measured-4', 0],
      ['1 connection, run B', 'measured-3', 1],
      ['10 connections, run B', 'measured-4', 1],
    ]);
  });
});
