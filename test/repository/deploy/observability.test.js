import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { findMissing } from '../../support/promql.js';
import { serveApp } from '../../support/serve-app.js';

const FOLDER = path.join('deploy', 'observability');

/** @param {string} file */
const read = (file) => readFile(path.join(FOLDER, file), 'utf8');
const compose = parse(await readFile('docker-compose.yml', 'utf8'));
const prometheus = parse(await read('prometheus.yml'));
const alerts = parse(await read('alerts.yml'));
const promtool = parse(await read('alerts.test.yml'));
const datasources = parse(await read('grafana/provisioning/datasources/prometheus.yml'));
const dashboard = JSON.parse(await read('grafana/dashboards/connection-pools.json'));

/** @type {string} what the app serves once it has been asked */
let metrics;
beforeAll(async () => {
  const url = await serveApp({ MONGO_POOLSIZE: '2' });
  await (await fetch(`${url}/fast`)).arrayBuffer();
  metrics = await (await fetch(`${url}/metrics`)).text();
});

describe('a query', () => {
  test.each([
    ['db_client_connection_wait_time_seconds', ['db_client_connection_wait_time_seconds']],
    ['sum by (le) (rate(db_client_connection_bucket[$__rate_interval]))', ['db_client_connection_bucket']],
    ['db_client_connection_count{state="used"}', ['db_client_connection_count.state']],
    ['sum by (state) (db_client_connection_count)', ['db_client_connection_count.state']],
    ['max(db_client_connection_max) / up', ['up']],
    ['sum by (instance) (db_client_connection_max{job="x", instance=~"$instance"})', []],
  ])('%s: what nobody serves is found', (query, missing) => {
    expect(findMissing(query, metrics)).toEqual(missing);
  });

  test.each(['sum(', 'rate(db_client_connection_max)[5m', 'db_client_connection_max >'])('%s is refused', (query) => {
    expect(() => findMissing(query, metrics)).toThrow(/is not PromQL/);
  });
});

describe('alerts', () => {
  const text = { type: 'string', minLength: 1 };
  const duration = { type: 'string', pattern: '^\\d+(ms|[smhd])$' };
  const rule = {
    type: 'object',
    required: ['alert', 'expr', 'labels', 'annotations'],
    properties: {
      alert: { type: 'string', pattern: '^[A-Z][A-Za-z]+$' },
      expr: text,
      for: duration,
      labels: { type: 'object', required: ['severity'], properties: { severity: { enum: ['warning', 'critical'] } } },
      annotations: { type: 'object', required: ['summary', 'description'], additionalProperties: text },
    },
    additionalProperties: false,
  };
  const group = {
    type: 'object',
    required: ['name', 'rules'],
    additionalProperties: false,
    properties: { name: text, interval: duration, rules: { type: 'array', minItems: 1, items: rule } },
  };
  const validate = new Ajv().compile({
    type: 'object',
    required: ['groups'],
    additionalProperties: false,
    properties: { groups: { type: 'array', minItems: 1, items: group } },
  });
  /** @type {any[]} */
  const rules = alerts.groups.flatMap((/** @type {any} */ { rules: some }) => some);

  test('have the form of rules, and the form would notice a mistake', () => {
    validate(alerts);
    expect(validate.errors).toBeNull();
    expect(validate({ groups: [{ name: 'x', rules: [{ ...rules[0], expresion: 'up' }] }] })).toBe(false);
    expect(validate({ groups: [{ name: 'x', rules: [{ ...rules[0], for: '1 minute' }] }] })).toBe(false);
  });

  test.each(rules)('$alert asks for what the app serves', ({ expr }) => {
    expect(findMissing(expr, metrics)).toEqual([]);
  });

  test('cover the wait, a queue that stands for a minute, and timeouts', () => {
    expect(rules.map(({ alert, for: time }) => [alert, time])).toEqual([
      ['PoolWaitHigh', '1m'],
      ['PoolQueueStuck', '1m'],
      ['PoolTimeouts', undefined],
    ]);
  });

  test('each has a case for promtool in which it fires, with its own text', () => {
    const cases = promtool.tests.flatMap((/** @type {any} */ { alert_rule_test: some }) => some);
    for (const { alert, labels, annotations } of rules) {
      const own = cases.filter((/** @type {any} */ { alertname }) => alertname === alert);
      const fired = own.flatMap((/** @type {any} */ { exp_alerts: alertsOf = [] }) => alertsOf);
      expect(fired.length).toBeGreaterThan(0);
      for (const { exp_labels: found, exp_annotations: texts } of fired) {
        expect(found).toMatchObject(labels);
        expect(Object.keys(texts)).toEqual(Object.keys(annotations));
        for (const [name, said] of Object.entries(texts)) expect(said).toMatch(patternOf(annotations[name], found));
      }
    }
    const series = promtool.tests.flatMap((/** @type {any} */ { input_series: some }) => some);
    for (const { series: selector } of series) expect(findMissing(selector, metrics)).toEqual([]);
  });
});

/** @param {string} template of an annotation @param {Record<string, string>} labels */
function patternOf(template, labels) {
  const parts = template.split(/\{\{ *(.*?) *\}\}/).map((part, index) => {
    if (index % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return part.startsWith('$labels.') ? labels[part.slice('$labels.'.length)] : '.+';
  });
  return new RegExp(`^${parts.join('')}$`);
}

test('Prometheus scrapes the app of the compose file, and finds its rules', async () => {
  const [host, port] = prometheus.scrape_configs[0].static_configs[0].targets[0].split(':');
  expect(compose.services[host].ports).toEqual([expect.stringMatching(new RegExp(`:${port}$`))]);
  for (const file of prometheus.rule_files) expect(existsSync(path.join(FOLDER, file))).toBe(true);
});

describe('the dashboard', () => {
  const { panels, templating } = /** @type {{ panels: any[], templating: any }} */ (dashboard);

  test.each(panels)('"$title" asks for what the app serves', ({ targets, datasource }) => {
    expect(datasource.uid).toBe(datasources.datasources[0].uid);
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) expect(findMissing(expr, metrics)).toEqual([]);
  });

  test('says of every panel what it shows, and none lies over another', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
    expect(panels.filter(({ description }) => !description)).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  test('its variable lists a metric that is served', () => {
    const { query } = templating.list[0].query;
    expect(findMissing(/\((\w+),/.exec(query)?.[1] ?? '', metrics)).toEqual([]);
  });

  test('shows every metric that the app serves', () => {
    const shown = JSON.stringify(panels.map(({ targets }) => targets));
    const served = [...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    // What a pool may keep idle is a setting, not a sight.
    expect(served.filter((name) => !shown.includes(name))).toEqual([
      'db_client_connection_idle_max',
      'db_client_connection_idle_min',
    ]);
  });
});
