import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parseAllDocuments } from 'yaml';
import { readSettings } from '../../../src/settings.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { serveApp } from '../../support/serve-app.js';

const KINDS = /** @type {Record<string, string>} */ ({
  Deployment: 'io.k8s.api.apps.v1.Deployment',
  Service: 'io.k8s.api.core.v1.Service',
});

const schema = JSON.parse(await readFile(new URL('../../support/kubernetes-schema.json', import.meta.url), 'utf8'));
const ajv = new Ajv({ strict: false, allErrors: true }).addSchema(schema, 'kubernetes');
const text = await readFile('deploy/kubernetes/app.yaml', 'utf8');
const page = await readFile('docs/scale.md', 'utf8');
const manifests = parseAllDocuments(text).map((document) => document.toJS());

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
    for (const each of [page, text]) expect(each).toMatch(/Kubernetes 1\.30/);
    expect(page).toContain(`accepts requests for ${preStop.sleep.seconds} more seconds`);
    expect(page).toContain(`It has another ${settings.shutdownTimeoutMs / 1000} to answer them`);
    expect(page).toContain(
      `A request waits at most ${Number(settings.waitQueueTimeoutMs) / 1000} seconds for a connection`,
    );
  });

  test('is given its password in a file, not on a command line', () => {
    expect(text).toContain('--from-env-file=');
    expect(text).not.toContain('--from-literal');
  });

  test('runs without root, as the version of the package', async () => {
    const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(container.image).toBe(`${name}:${version}`);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
  });
});
