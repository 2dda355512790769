import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { mutationsOf, sentencesOf, texts } from 'test-support/fuzz-arbitraries.js';
import { attempt, require, requireClear } from 'test-support/fuzz-outcome.js';
import { traceText } from 'test-support/trace-text.js';
import { parseAppUrl } from '../../../../lab/cli/running-app.js';
import { createClient } from '../../../../src/mongo/client.js';
import { renderEnvExample } from '../../../../scripts/settings-documents.js';
import { SettingsError, readSettings } from '../../../../src/settings.js';
import { SETTINGS } from '../../../../src/base/settings-table.js';
import { predictPreset } from '../../../../playground/browser/simulation.js';
import { formatLink, parseLink } from '../../../../playground/browser/link-state.js';

/** @import { Setting, Settings } from '../../../../src/base/settings-table.js' */

const NAMES = SETTINGS.map(({ env }) => env);
const GOOD = [
  '1',
  '3',
  '100',
  '0',
  '65535',
  'auto',
  'on',
  'info',
  '127.0.0.1',
  'mongodb://127.0.0.1/',
  'a-token-of-our-own_1',
  ' 7 ',
];
const NO_FILE = 'no such file';
const ENV_FILES = [
  renderEnvExample().replaceAll('# M', 'M'),
  'PORT="8080"\nSLOW_MS=1 # short\nexport HOST=\'::1\'\nMONGO_URL=`x`\n',
];
const ENV_WORDS = [...NAMES, '=', '\n', '"', "'", '`', '#', '$', '\\n', ...GOOD];
const PASSWORD = 'hunter2';

const userAndPassword = fc
  .tuple(texts, sentencesOf([PASSWORD, '@', '/', ':', '?', '#', '%', '%40', ' ', ',', 'x', '1', '[', ']']))
  .map((parts) => parts.join(':'));
const mongoHosts = sentencesOf([
  'host',
  '127.0.0.1',
  ':27017',
  ':0',
  ',',
  '/',
  '?',
  'tls=true',
  '&',
  'maxPoolSize=',
  '-1',
  '=',
  'authSource=admin',
  '[::1]',
  '.',
]);
const appHosts = sentencesOf(['@', 'host', ':80', '/', '?', '127.0.0.1']);

/** @param {Settings | undefined} read */
function requireAllowed(read) {
  for (const setting of SETTINGS) {
    const value = read?.[setting.key];
    require(value === undefined || isAllowed(setting, value), `${setting.env} is ${value}`);
  }
}

/** @param {Setting} setting @param {unknown} value */
function isAllowed({ type, min = 0, max = Infinity, choices }, value) {
  if (type !== 'integer') return typeof value === 'string' && value !== '' && choices?.includes(value) !== false;
  return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
}

/** Every line names a setting. @param {string} message */
const namesSettings = (message) => message.split('\n').every((line) => NAMES.some((name) => line.startsWith(name)));

const SCENARIO = `config: { target: x, phases: [{ duration: 2, arrivalCount: 4 }] }
scenarios: [{ flow: [{ get: { url: /fast } }, { think: 1 }, { get: { url: /slow } }] }]`;
const TRACE = traceText({
  poolSize: 2,
  checkouts: [
    { atMs: 0, useMs: 3, route: '/fast' },
    { atMs: 1, waitMs: 2, useMs: 5, route: '/slow' },
  ],
});

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  settings: {
    arbitrary: fc.dictionary(fc.constantFrom(...NAMES, 'PATH', '__proto__'), fc.oneof(fc.constantFrom(...GOOD), texts)),
    check(environment) {
      const { value, error } = attempt(() => readSettings(environment, NO_FILE), namesSettings);
      requireAllowed(value);
      require(!error || error instanceof SettingsError, 'another kind of error');
      for (const name of ['MONGO_URL', 'CONTROLS_TOKEN']) {
        const secret = environment[name]?.trim() ?? '';
        const isElsewhere = NAMES.some((other) => other !== name && environment[other]?.includes(secret));
        require(secret.length < 10 || isElsewhere || !error?.message.includes(secret), `${name} is shown`);
      }
    },
  },
  '.env files': {
    arbitrary: mutationsOf(ENV_FILES, sentencesOf(ENV_WORDS)),
    async open() {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'pool-lab-fuzz-'));
      return { file: path.join(folder, '.env'), close: () => rmSync(folder, { recursive: true }) };
    },
    check(text, { file }) {
      writeFileSync(file, text);
      const names = (/** @type {string} */ message) => namesSettings(message.replace(/^.+, line \d+: /, ''));
      requireAllowed(attempt(() => readSettings({}, file), names).value);
    },
  },
  'connection strings': {
    arbitrary: fc.tuple(fc.constantFrom('mongodb://', 'mongodb+srv://'), userAndPassword, mongoHosts),
    check([scheme, credentials, hosts]) {
      const { value, error } = attempt(
        () => createClient(`${scheme}${credentials}@${hosts}`, readSettings({}, NO_FILE)),
        (message) => message.includes('MONGO_URL'),
      );
      require(Boolean(value) || error instanceof SettingsError, 'another kind of error');
      require(!error?.message.includes(PASSWORD), 'the password is shown');
      const called = value?.options.hosts.map(String).join() ?? value?.options.srvHost ?? '';
      require(!called.includes(PASSWORD), 'a part of the password is taken for a host');
    },
  },
  'URLs of apps': {
    arbitrary: fc.tuple(fc.constantFrom('http://', 'https://', 'file://', ''), userAndPassword, appHosts),
    check([scheme, credentials, hosts]) {
      const { value, error } = attempt(
        () => parseAppUrl('--url', `${scheme}${credentials}@${hosts}`),
        (message) => message.startsWith('--url'),
      );
      require(!error?.message.includes(PASSWORD), 'the password is shown');
      if (!value) return;
      const { protocol, host } = new URL('/pool', value.url);
      require(/^https?:$/.test(protocol), 'not a URL of an app');
      require(!host.includes(PASSWORD), 'a part of the password is taken for a host');
      require(!value.url.includes('@'), 'the URL still holds credentials');
    },
  },
  playgroundLink: {
    arbitrary: sentencesOf([
      '#',
      'knee',
      '?',
      'embed',
      '&',
      'bus=2',
      'yaml=',
      '%',
      '%E0',
      '%00',
      '=',
      '__proto__',
      ' ',
      'é',
    ]),
    check(hash) {
      const state = parseLink(hash);
      require(isDeepStrictEqual(parseLink(formatLink(state)), state), 'a link does not round-trip');
    },
  },
  playgroundTraffic: {
    arbitrary: mutationsOf([SCENARIO, TRACE]),
    async check(text) {
      const source = text.startsWith('{"trace"') ? { trace: text } : { yaml: text, services: ['/fast=2', '/slow=9'] };
      try {
        const { variants } = await predictPreset({ ...source, pool: 2, poolSizes: [2] });
        require(variants.length === 1, 'no figures');
      } catch (error) {
        requireClear(error);
      }
    },
    share: 0.2,
  },
};
