import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { parseAppUrl } from '../../../src/cli/app-url.js';
import { createClient } from '../../../src/mongo/client.js';
import { renderEnvExample } from '../../../src/settings-docs.js';
import { SETTINGS, SettingsError, readSettings } from '../../../src/settings.js';
import { mutationsOf, sentencesOf, texts } from '../arbitraries.js';
import { attempt, require } from '../outcome.js';

const NAMES = SETTINGS.map(({ env }) => env);
const GOOD = ['1', '3', '100', '0', '65535', 'auto', 'on', 'info', '127.0.0.1', 'mongodb://127.0.0.1/', 'a-token-of-our-own_1', ' 7 '];
const NO_FILE = 'no such file';
const EXAMPLE = renderEnvExample();

/** @param {import('../../../src/settings.js').Settings | undefined} read */
function requireAllowed(read) {
  if (!read) return;
  for (const { env, key, type, min = 0, max = Infinity, choices } of SETTINGS) {
    const value = read[key];
    if (value === undefined) continue;
    if (type === 'integer') require(Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max, `${env} is ${value}`);
    else require(typeof value === 'string' && value !== '' && choices?.includes(value) !== false, `${env} is ${value}`);
  }
}

/** Every line names a setting. @param {string} message */
const namesSettings = (message) => message.split('\n').every((line) => NAMES.some((name) => line.startsWith(name)));

const userinfo = fc.tuple(texts, sentencesOf(['hunter2', '@', '/', ':', '?', '#', '%', '%40', ' ', ',', 'x', '1', '[', ']']));

/** @type {Record<string, import('../targets.js').Target>} */
export const settings = {
  'settings': {
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
    arbitrary: mutationsOf(
      [EXAMPLE.replaceAll('# M', 'M'), 'PORT="8080"\nSLOW_MS=1 # short\nexport HOST=\'::1\'\nMONGO_URL=`x`\n'],
      sentencesOf([...NAMES, '=', '\n', '"', '\'', '`', '#', '$', '\\n', ...GOOD])),
    async open() {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'pool-lab-fuzz-'));
      return { file: path.join(folder, '.env'), close: () => rmSync(folder, { recursive: true }) };
    },
    check(text, { file }) {
      writeFileSync(file, text);
      requireAllowed(attempt(() => readSettings({}, file), namesSettings).value);
    },
  },
  'connection strings': {
    arbitrary: fc.tuple(fc.constantFrom('mongodb://', 'mongodb+srv://'), userinfo, sentencesOf([
      'host', '127.0.0.1', ':27017', ':0', ',', '/', '?', 'tls=true', '&', 'maxPoolSize=', '-1', '=', 'authSource=admin', '[::1]', '.',
    ])),
    check([scheme, [user, password], rest]) {
      const { value, error } = attempt(() => createClient(`${scheme}${user}:${password}@${rest}`, readSettings({}, NO_FILE)),
        (message) => message.includes('MONGO_URL'));
      require(Boolean(value) || error instanceof SettingsError, 'another kind of error');
      require(!error?.message.includes('hunter2'), 'the password is shown');
      const hosts = value?.options.hosts.map(String).join() ?? value?.options.srvHost ?? '';
      require(!hosts.includes('hunter2'), 'a part of the password is taken for a host');
    },
  },
  'URLs of apps': {
    arbitrary: fc.tuple(fc.constantFrom('http://', 'https://', 'file://', ''), userinfo, sentencesOf(['@', 'host', ':80', '/', '?', '127.0.0.1'])),
    check([scheme, [user, password], rest]) {
      const text = `${scheme}${user}:${password}@${rest}`;
      const { value, error } = attempt(() => parseAppUrl('--url', text), (message) => message.startsWith('--url'));
      require(!error?.message.includes('hunter2'), 'the password is shown');
      if (!value) return;
      require(/^https?:$/.test(new URL('/pool', value.url).protocol), 'not a URL of an app');
      require(!new URL(value.url).host.includes('hunter2'), 'a part of the password is taken for a host');
      require(!value.url.includes('@'), 'the URL still holds credentials');
    },
  },
};
