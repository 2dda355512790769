import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { renderFindingCards } from '../../report/finding-cards.js';
import { renderHtml } from '../../report/html.js';
import { formatDate, formatSetting } from '../../report/name-runs.js';
import { labs } from '../../labs/index.js';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import { createSampleResult } from './sample-result.js';
import { compareResults, describeComparison } from '../../report/compare-results.js';
import { runCli } from '../support/run-cli.js';

/** @import { Result } from '../../report/result-types.js' */

/** @param {Partial<import('../../report/result-types.js').Result>} [changes] */
const renderSample = (changes) => renderHtml([{ lab: mixed, result: createSampleResult(changes) }]);

/** @param {string} page */
const withoutScripts = (page) => page.replace(/<script[^]*?<\/script>/g, '');

/** @param {string} page */
const textOf = (page) =>
  withoutScripts(page)
    .replace(/<style[^]*?<\/style>|<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the page', () => {
  test('opens with the question, the sentence that sums up, and how to read the chart', () => {
    const text = textOf(renderSample());

    const order = [mixed.question, 'took 20.1 s', ...mixed.howToRead, 'The figures'];
    const places = order.map((part) => text.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('shows the figures, the arrivals, the settings and the environment', () => {
    const text = textOf(renderSample());

    for (const part of [
      '10,048',
      '21,117',
      '21,143',
      '1.006',
      '0, 1001, 2003, 3002, 4004',
      'loadtests/mixed.yaml',
      '1, 3, 10',
      '6.0.5',
      '20 November 2026 at 14:22 UTC',
    ])
      expect(text).toContain(part);
  });

  test('lists the first arrivals of many and says how many there were', () => {
    const result = createSampleResult();
    const arrivalsMs = Array.from({ length: 300 }, (_, index) => index * 10);
    result.variants[0].repeats = [{ measured: result.variants[0].measured ?? {}, arrivalsMs }];

    const text = textOf(renderHtml([{ lab: mixed, result }]));

    expect(text).toContain('100, 110 … 300 in total');
    expect(text).not.toContain('100, 110, 120');
  });

  test('shows what was found beside what was published: in figures, and as dots on a line through 1', () => {
    const findings = () => [
      { claim: 'copy / fixed', measured: 10.04, published: 1.4, reason: 'a query travels' },
      { claim: 'twice', measured: 2, published: null, spread: /** @type {[number, number]} */ ([0.5, 4]) },
      { claim: 'not measured', measured: null, published: 0 },
    ];

    const page = renderHtml([{ lab: { ...mixed, findings }, result: createSampleResult() }]);

    const text = textOf(page);
    expect(text).toMatch(/Findings, as ratios .*copy \/ fixed 10\.04 published 1\.40 a query travels/);
    expect(text).toMatch(/twice 2\.00 0\.50 to 4\.00 not measured – published 0\.00/);
    const [, card, unknown] = page.match(/<li>\s*<h4>[^]*?<\/li>/g) ?? [];
    const placeOf = (/** @type {RegExp} */ pattern) => Number(pattern.exec(card)?.[1]);
    const [half, one, twice, fourTimes] = [
      /class="spread" x1="([\d.]+)%"/,
      /class="one" x1="([\d.]+)%"/,
      /<circle cx="([\d.]+)%"/,
      /class="spread" x1="[\d.]+%" x2="([\d.]+)%"/,
    ].map(placeOf);
    expect(one - half).toBeCloseTo(twice - one, 0);
    expect(fourTimes - twice).toBeCloseTo(twice - one, 0);
    expect(unknown).not.toContain('<circle');
    const listTicks = (/** @type {number} */ measured) => [
      ...String(renderFindingCards('id', [{ claim: '', measured, published: 1 }])).matchAll(/y="1em">(.+?)</g),
    ];
    expect(listTicks(4).map(([, tick]) => tick)).toEqual(['1', '2']);
    expect(listTicks(400).map(([, tick]) => tick)).toEqual(['1', '10', '100']);
  });

  test('shows few columns, and folds all of them with every repeat', () => {
    const result = createSampleResult();
    const [variant] = result.variants;
    variant.repeats = [1, 2].map(() => ({ measured: variant.measured ?? {}, arrivalsMs: [0, 1001] }));

    const [, figures, all] = textOf(renderHtml([{ lab: mixed, result }])).split(/The figures|All figures/);

    expect(figures).toMatch(/ pool reqs p50 p95 max p50 p95 max max article exact ratio 1 50 /);
    expect(all).toMatch(/ pool repeat reqs p50 p95 max p50 p95 max max article exact ratio arrivals ms 1 all 50 /);
    expect(all).toMatch(/ 1 1 50 .* 0, 1001 1 2 50 .* 0, 1001 3 1 50 /);
  });

  test('says why a variant could not run', () => {
    const result = createSampleResult({ warnings: ['the machine was busy'] });
    Object.assign(result.variants[1], { measured: null, error: 'port 3000 is in use', repeats: [] });

    const text = textOf(renderHtml([{ lab: mixed, result }]));

    expect(text).toContain('port 3000 is in use');
    expect(text).toContain('the machine was busy');
  });

  test('loads nothing from outside, and links to the first publication and to what was found elsewhere', () => {
    const page = withoutScripts(renderSample());

    expect(page).toContain('<link rel="icon" href="data:,">');
    const {
      url,
      title,
      foundElsewhere = [],
    } = /** @type {import('../../report/result-types.js').Source} */ (mixed.source);
    const link = `<a href="${url}" rel="noreferrer">${title}</a>`;
    expect(page).toContain(`First published in ${link}`);
    expect(foundElsewhere).toHaveLength(1);
    const elsewhere = `<a href="${foundElsewhere[0].where}" rel="noreferrer">elsewhere</a>`;
    const rest = page.replace(link, '').replace(elsewhere, '');
    expect(rest).not.toMatch(/https?:|@import|url\(|src=/);
    expect(rest.match(/href="[^#"][^"]*"/g)).toEqual(['href="data:,"']);
  });

  test('each published experiment links to its source, from its report and the page of experiments', async () => {
    const page = await readFile('docs/experiments.md', 'utf8');
    const sources = Object.values(labs).map(({ name, source }) => [name, source?.url]);
    expect(sources.filter(([, url]) => !url)).toEqual([
      ['remedies', undefined],
      ['utilisation', undefined],
    ]);
    for (const [name, url] of sources.filter((each) => each[1])) expect(page).toContain(`[${name}]: ${url}\n`);
  });

  test('does not say where a source map would be', () => {
    expect(renderSample()).not.toContain('sourceMappingURL');
  });

  test('turns no text of a lab or a result into markup', () => {
    const hostile = '</script><script>x</script><img src=x onerror=x>"\'&<!--';
    const lab = {
      ...mixed,
      title: hostile,
      question: hostile,
      howToRead: [hostile],
      takeaway: () => hostile,
      columns: mixed.columns.map((column) => ({
        ...column,
        heading: hostile,
        group: hostile,
        unit: hostile,
        about: hostile,
        value: () => hostile,
      })),
      charts: mixed.charts.map((chart) => ({
        ...chart,
        title: hostile,
        xLabel: hostile,
        yLabel: hostile,
        unit: hostile,
        category: () => hostile,
        series: chart.series.map((series) => ({ ...series, label: hostile })),
      })),
    };
    const result = createSampleResult({
      lab: hostile,
      startedAt: hostile,
      warnings: [hostile],
      environment: { [hostile]: hostile },
      settings: { [hostile]: [hostile, { [hostile]: hostile }] },
    });
    Object.assign(result.variants[0], { name: hostile, error: hostile });
    const scripts = renderSample().match(/<script/g)?.length;

    const page = renderHtml([{ lab, result }]);

    expect(page.match(/<script/g)).toHaveLength(scripts ?? 0);
    expect(page).not.toContain('<img');
    expect(page).not.toMatch(/<!--/);
    expect(page).toContain('&lt;/script&gt;&lt;script&gt;x');
  });
});

describe('several results', () => {
  const first = createSampleResult();
  const second = createSampleResult({
    startedAt: '2026-11-21T09:05:00Z',
    environment: { ...first.environment, cores: 8 },
  });

  test('of one lab share a table and a chart, named by when they began and what differs', () => {
    const page = renderHtml([
      { lab: mixed, result: first },
      { lab: mixed, result: second },
    ]);
    const text = textOf(page);

    expect(text).toContain('Run A 20 November 2026 at 14:22 UTC · cores 2');
    expect(text).toContain('Run B 21 November 2026 at 09:05 UTC · cores 8');
    const [, table] = text.split('All runs, side by side');
    expect(table).toMatch(/ratio 1 A 50 10,048 .* 1 B 50 10,048 .* 3 A 50 4 .* 3 B 50 4 .* 10 A 50 3 .* 10 B 50 3 /);
    const [, chart] = page.match(/<script type="application\/json">(.*?)<\/script>/) ?? [];
    expect(JSON.parse(chart).categories.slice(0, 3)).toEqual([
      ['1 connection, run A'],
      ['1 connection, run B'],
      ['3 connections, run A'],
    ]);
    expect(page.match(/<h2/g)).toHaveLength(1);
  });

  test('of one lab are one picture, however many they are; what stands behind each is folded', () => {
    const page = renderHtml(Array.from({ length: 5 }, () => ({ lab: mixed, result: first })));

    expect(page.match(/<canvas/g)).toHaveLength(1);
    expect(page.match(/<details class="run">/g)).toHaveLength(5);
    const [, chart] = page.match(/<script type="application\/json">(.*?)<\/script>/) ?? [];
    expect(JSON.parse(chart).series.map((/** @type {any} */ { label }) => label)).toEqual([
      'Slowest request of all',
      'Slowest /fast request',
    ]);
  });

  test('of different labs have a section each, and a list of them', () => {
    const page = renderHtml([
      { lab: mixed, result: first },
      { lab: { ...mixed, name: 'other', title: 'Another' }, result: second },
    ]);

    expect(page.match(/<h2/g)).toHaveLength(2);
    expect(page).toContain('<li><a href="#lab-2">Another</a></li>');
    expect(page).not.toContain('All runs, side by side');
  });
});

test('a date is shown in UTC, and unchanged if it is no date', () => {
  expect(formatDate('2026-11-20T23:30:00+02:00')).toBe('20 November 2026 at 21:30 UTC');
  expect(formatDate('yesterday')).toBe('yesterday');
});

test('settings are shown without brackets, absent ones as a dash', () => {
  expect(formatSetting([1, 3, 10])).toBe('1, 3, 10');
  expect(formatSetting(false)).toBe('false');
  expect(formatSetting(0)).toBe('0');
  expect(formatSetting(null)).toBe('–');
  expect(formatSetting({ slow: 5000 })).toBe('{"slow":5000}');
});

describe('the comparison of results', () => {
  /**
   * @param {Record<string, number[][]>} routes p95 of each repeat, at two pool sizes
   * @param {{ failures?: number, settings?: object, environment?: object }} [options]
   */
  function createRun(routes, { failures = 0, settings, environment } = {}) {
    const sample = createSampleResult({ lab: 'sweep' });
    const figuresOf = (/** @type {number} */ size, /** @type {number} */ repeat) => ({
      requests: 100,
      failures,
      maxMs: 1,
      routes: Object.fromEntries(
        Object.entries(routes).map(([route, sizes]) => [
          route,
          { count: 100, failures, p50Ms: 1, p95Ms: sizes[size][repeat], p99Ms: 1, maxMs: 1 },
        ]),
      ),
    });
    const [sizes] = Object.values(routes);
    return /** @type {Result} */ ({
      ...sample,
      settings: { ...sample.settings, ...settings },
      environment: { ...sample.environment, ...environment },
      variants: [1, 3].map((poolSize, size) => ({
        name: `pool ${poolSize}`,
        settings: { poolSize },
        measured: figuresOf(size, 0),
        repeats: sizes[size].map((_, repeat) => ({ measured: figuresOf(size, repeat) })),
      })),
    });
  }

  const THREE = [
    [100, 102, 104],
    [50, 51, 52],
  ];
  const scale = (/** @type {number} */ factor) => THREE.map((values) => values.map((value) => value * factor));
  const before = createRun({ '/a': THREE });

  /** @param {Result} after @param {Result} [other] */
  const verdictsOf = (after, other = before) => compareResults(other, after).routes.map(({ verdict }) => verdict);

  test('slower than before at each size, and by more than the repeats differ', () => {
    const { routes } = compareResults(before, createRun({ '/a': scale(1.5) }));
    expect(routes).toEqual([{ route: '/a', verdict: 'worse', why: 'p95 153 ms at pool 1 instead of 102 ms' }]);
    expect(verdictsOf(createRun({ '/a': scale(0.5) }))).toEqual(['better']);
  });

  test('a clear difference that is small is none', () => {
    expect(verdictsOf(createRun({ '/a': scale(1.07) }))).toEqual(['same']);
    expect(verdictsOf(createRun({ '/a': scale(0.015) }), createRun({ '/a': scale(0.01) }))).toEqual(['same']);
  });

  test('repeats that differ as much as the runs, and opposite changes, give no verdict', () => {
    const noisy = [
      [60, 180, 150],
      [80, 30, 90],
    ];
    expect(verdictsOf(createRun({ '/a': noisy }))).toEqual(['unknown']);
    expect(verdictsOf(createRun({ '/a': [scale(2)[0], scale(0.5)[1]] }))).toEqual(['unknown']);
  });

  test('the more routes there are, the clearer one must be', () => {
    const names = ['/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h', '/i', '/j', '/k', '/l'];
    const all = (/** @type {number} */ factor) =>
      createRun(Object.fromEntries(names.map((name) => [name, name === '/a' ? scale(factor) : THREE])));
    // All values are on one side, in 2 of 400 orders; 5 % over 12 routes is less.
    const [{ verdict, why }] = compareResults(all(1), all(2)).routes;
    expect({ verdict, why }).toEqual({ verdict: 'unknown', why: expect.stringContaining('too few repeats to tell') });
  });

  test('more failures are worse, whatever the times of the others', () => {
    const { routes } = compareResults(before, createRun({ '/a': scale(0.5) }, { failures: 3 }));
    expect(routes).toEqual([{ route: '/a', verdict: 'worse', why: '0 % of its requests failed before, 3 % now' }]);
  });

  test('fewer failures are better; where about as many requests fail, the times decide', () => {
    const verdictOf = (/** @type {number} */ failuresBefore, /** @type {number} */ failures) =>
      verdictsOf(
        createRun({ '/a': scale(1.5) }, { failures }),
        createRun({ '/a': THREE }, { failures: failuresBefore }),
      );
    expect([verdictOf(3, 0), verdictOf(3, 3), verdictOf(1, 0)]).toEqual([['better'], ['worse'], ['worse']]);
  });

  test('a route without a request has no share of failures', () => {
    const [was, is] = [THREE, scale(1.5)].map((values) => createRun({ '/a': values }));
    for (const { measured } of [...was.variants, ...is.variants]) measured.routes['/a'].count = 0;
    expect(compareResults(was, is).routes).toMatchObject([{ why: expect.not.stringContaining('failed') }]);
  });

  test('runs at other sizes only have nothing to compare', () => {
    const after = createRun({ '/a': THREE });
    for (const variant of after.variants) variant.name += '0';
    expect(compareResults(before, after)).toEqual({ problem: 'they have no size in common', routes: [] });
  });

  test.each([
    [{ settings: { scenario: 'other.yaml' } }, 'the loads differ in scenario (loadtests/mixed.yaml, then other.yaml)'],
    [{ environment: { cores: 64 } }, 'they were measured on different machines (cores)'],
  ])('%j: no verdict', (changes, problem) => {
    expect(compareResults(before, createRun({ '/a': scale(2) }, changes))).toEqual({ problem, routes: [] });
  });

  test('another command, other goals and other versions can be compared', () => {
    const changes = {
      settings: { command: 'node new.js', goals: [] },
      environment: { node: '26.0.0', driver: '8.0.0' },
    };
    expect(verdictsOf(createRun({ '/a': scale(2) }, changes))).toEqual(['worse']);
  });

  test('report says first what changed, on the terminal and on the page', async () => {
    const folder = await scratchFolder();
    const runs = {
      'a.json': createRun({ '/a': THREE, '/b': THREE, '/c': THREE }),
      'b.json': createRun({ '/a': scale(3), '/b': scale(0.3), '/c': THREE }),
      'once.json': createRun({ '/a': THREE.map((values) => values.slice(0, 1)) }),
    };
    for (const [name, run] of Object.entries(runs)) await writeFile(path.join(folder, name), JSON.stringify(run));
    const [a, b, once] = Object.keys(runs).map((name) => path.join(folder, name));
    const page = path.join(folder, 'page.html');
    const { stdout } = await runCli(['report', a, b, once, '--out', page]);
    const words = stdout.replaceAll(/\s+/g, ' ');
    const news =
      '/a (p95 306 ms at pool 1 instead of 102 ms) got worse; /b (p95 31 ms at pool 1 instead of 102 ms) got better; ' +
      'the same within the noise: /c.';
    expect(words.startsWith(`From ${a} to ${b}, ${news} From ${a} to ${once}: can't tell, one run each.`)).toBe(true);
    expect(await readFile(page, 'utf8')).toContain(`<p class="takeaway">From run A to run B, ${news}</p>`);
  });

  test('results without routes are shown as before', () => {
    const result = createSampleResult({ lab: 'saturation' });
    for (const { measured } of result.variants) delete measured.routes;
    expect(describeComparison(compareResults(result, result), 'a', 'b')).toBe('');
  });
});
