import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readSettings, SettingsError } from '../src/settings.js';
import { renderSettingsHelp } from '../src/base/settings-docs.js';
import { SETTINGS } from '../src/base/settings-table.js';
import { printCommand, toPrintable, wrap } from '../src/base/printable.js';

/** @type {string} */
let folder;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'settings-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** @param {Record<string, string>} environment @param {string} [file] text of the .env file; absent: there is none */
async function read(environment, file) {
  const envFile = path.join(folder, '.env');
  await rm(envFile, { force: true });
  if (file !== undefined) await writeFile(envFile, file);
  return readSettings(environment, envFile);
}

/** @param {Record<string, string>} environment @returns {Promise<string[]>} the lines of the error */
async function complaintsAbout(environment) {
  const error = await read(environment).catch((reason) => reason);
  expect(error).toBeInstanceOf(SettingsError);
  return error.message.split('\n');
}

test('with nothing set, only settings with a default have a value', async () => {
  expect(await read({})).toEqual({
    slowMs: 5000,
    slowQuery: 'sleep',
    host: '127.0.0.1',
    port: 3000,
    requestTimeoutMs: 150_000,
    maxRequests: 5000,
    shutdownTimeoutMs: 30_000,
    controls: 'auto',
    logLevel: 'info',
    cacheDir: expect.stringContaining('mongodb-pool-lab'),
    dataDir: expect.stringContaining('mongodb-pool-lab'),
    searchPath: '',
  });
});

test('every setting is read, numbers as numbers', async () => {
  expect(
    await read({
      MONGO_POOLSIZE: '10',
      MONGO_MIN_POOLSIZE: '0',
      MONGO_MAX_CONNECTING: '5',
      MONGO_WAIT_QUEUE_TIMEOUT_MS: '100',
      SLOW_POOLSIZE: '2',
      SLOW_CONCURRENCY: '4',
      SLOW_MS: '1',
      SLOW_QUERY: 'work',
      MONGO_URL: 'mongodb+srv://db.example.com',
      MONGO_TARGET_URL: 'mongodb://other',
      APP_URL: 'http://shop',
      MONGO_APP_NAME: 'shop',
      MONGO_SERVER_SELECTION_TIMEOUT_MS: '300',
      MONGOD_PATH: '/opt/mongod',
      POOL_LAB_CACHE: '/cache',
      POOL_LAB_DATA: '/data',
      HOST: '::1',
      PORT: '0',
      SHUTDOWN_TIMEOUT_MS: '1000',
      LOG_LEVEL: 'silent',
      CONTROLS: 'off',
      PATH: '/bin',
      REQUEST_TIMEOUT_MS: '2000',
      MAX_REQUESTS: '20',
    }),
  ).toEqual({
    poolSize: 10,
    minPoolSize: 0,
    maxConnecting: 5,
    waitQueueTimeoutMs: 100,
    slowPoolSize: 2,
    slowConcurrency: 4,
    slowMs: 1,
    slowQuery: 'work',
    mongoUrl: 'mongodb+srv://db.example.com',
    mongoTargetUrl: 'mongodb://other',
    appUrl: 'http://shop',
    appName: 'shop',
    serverSelectionTimeoutMs: 300,
    requestTimeoutMs: 2000,
    maxRequests: 20,
    mongodPath: '/opt/mongod',
    cacheDir: '/cache',
    dataDir: '/data',
    host: '::1',
    port: 0,
    shutdownTimeoutMs: 1000,
    controls: 'off',
    logLevel: 'silent',
    searchPath: '/bin',
  });
});

describe('the environment and the .env file', () => {
  test('the file is read', async () => {
    expect(await read({}, 'MONGO_POOLSIZE=3 # small\nPORT="8080"\n')).toMatchObject({ poolSize: 3, port: 8080 });
  });

  test('the environment wins', async () => {
    expect(await read({ PORT: '9000' }, 'MONGO_POOLSIZE=3\nPORT=8080\n')).toMatchObject({ poolSize: 3, port: 9000 });
  });

  test('an empty value counts as unset, also over one in the file', async () => {
    const settings = await read({ MONGO_POOLSIZE: '', SLOW_MS: ' ', PORT: '' }, 'PORT=8080\nHOST=\n');
    expect(settings).not.toHaveProperty('poolSize');
    expect(settings).toMatchObject({ slowMs: 5000, port: 3000, host: '127.0.0.1' });
  });

  test('a file that can not be read is an error', () => {
    expect(() => readSettings({}, folder)).toThrow(SettingsError);
    expect(() => readSettings({}, folder)).toThrow(folder);
  });
});

describe('a bad value is refused in one line that says what is allowed', () => {
  const poolSize = 'it must be a whole number of at least 1 (for the driver, 0 means "no limit")';
  test.each([
    ['MONGO_POOLSIZE', 'abc', poolSize],
    ['MONGO_POOLSIZE', '1\n2', poolSize],
    ['MONGO_POOLSIZE', '0', poolSize],
    ['MONGO_POOLSIZE', '-1', poolSize],
    ['MONGO_POOLSIZE', '1.5', poolSize],
    ['MONGO_POOLSIZE', '1e3', poolSize],
    ['MONGO_POOLSIZE', '0x10', poolSize],
    ['MONGO_POOLSIZE', '99999999999999999', poolSize],
    ['MONGO_MIN_POOLSIZE', '-1', 'it must be a whole number of at least 0'],
    ['SLOW_POOLSIZE', '0', poolSize],
    ['SLOW_CONCURRENCY', '0', 'it must be a whole number of at least 1'],
    ['SLOW_CONCURRENCY', 'two', 'it must be a whole number of at least 1'],
    ['SLOW_QUERY', 'rest', 'it must be one of sleep, work'],
    ['SLOW_MS', '2147483648', 'it must be a whole number from 1 to 2147483647'],
    ['PORT', '99999', 'it must be a whole number from 0 to 65535'],
    ['LOG_LEVEL', 'loud', 'it must be one of trace, debug, info, warn, error, fatal, silent'],
  ])('%s=%s', async (name, value, allowed) => {
    expect(await complaintsAbout({ [name]: value })).toEqual([
      `${name}=${value.replace('\n', '\\n')} is not allowed: ${allowed}`,
    ]);
  });

  test.each(['http://user:hunter2@host/', 'mongodb://', 'hunter2'])(
    'MONGO_URL, without showing it: %s',
    async (url) => {
      expect(await complaintsAbout({ MONGO_URL: url })).toEqual([
        'MONGO_URL is not allowed: it must be a URL that starts with mongodb:// or mongodb+srv://',
      ]);
    },
  );

  test('MONGO_MIN_POOLSIZE above MONGO_POOLSIZE', async () => {
    expect(await complaintsAbout({ MONGO_POOLSIZE: '3', MONGO_MIN_POOLSIZE: '4' })).toEqual([
      'MONGO_MIN_POOLSIZE=4 is not allowed: the maximum is MONGO_POOLSIZE=3',
    ]);
    expect(await read({ MONGO_POOLSIZE: '3', MONGO_MIN_POOLSIZE: '3' })).toMatchObject({ poolSize: 3, minPoolSize: 3 });
  });

  test('several bad values get a line each', async () => {
    const complaints = await complaintsAbout({ PORT: 'x', MONGO_POOLSIZE: '0', LOG_LEVEL: 'loud', SLOW_MS: '100' });
    expect(complaints.map((line) => line.split('=')[0]).sort()).toEqual(['LOG_LEVEL', 'MONGO_POOLSIZE', 'PORT']);
  });
});

describe('an unquoted # in a .env file', () => {
  test.each([
    ['MONGO_URL=mongodb://user:hunt#er2@host/', /^\S*\.env, line 2: MONGO_URL would be cut at its #: write # as %23$/],
    ['export MONGO_APP_NAME = shop#1', /line 2: MONGO_APP_NAME would be cut at its #: put the value in quotes$/],
  ])('is refused without showing the value: %s', async (line, message) => {
    const error = await read({}, `PORT=1 # first\n${line}\n`).catch((reason) => reason);
    expect(error).toBeInstanceOf(SettingsError);
    expect(error.message).toMatch(message);
  });

  test('is accepted where it starts a comment or is in quotes', async () => {
    expect(
      await read({}, 'PORT=1 # see x#y\nMONGO_APP_NAME="shop#1"\n# MONGO_URL=mongodb://a:b#c@d\nHOST=#none\n'),
    ).toMatchObject({ port: 1, appName: 'shop#1', host: '127.0.0.1' });
  });
});

describe('the help', () => {
  const lines = renderSettingsHelp().split('\n');

  test('fits a terminal of 80 columns', () => {
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test('names every setting, each on a line of its own', () => {
    expect(lines.filter((line) => /^ {2}\S/.test(line)).map((line) => line.trim())).toEqual(
      SETTINGS.map(({ env }) => env),
    );
  });

  test('says what is allowed and what happens while a setting is unset', () => {
    const text = lines.map((line) => line.trim()).join(' ');
    expect(text).toContain('(a whole number from 0 to 65535; default 3000)');
    expect(text).toContain('(unset: mongod on the PATH, or else a downloaded one)');
  });
});

/** @param {string} file at the top of the project */
function fileUrl(file) {
  return new URL(`../${file}`, import.meta.url);
}

test('a copy of .env.example changes nothing', () => {
  expect(readSettings({}, fileURLToPath(fileUrl('.env.example')))).toEqual(readSettings({}, 'no-such-file'));
});

describe('what is printed', () => {
  /** Changes the title of a terminal and reverses its text. */
  const HOSTILE = '\u001b]0;owned\u0007\u009b31m\u202e';

  test.each([
    ['mongodb://user:hunter2@host/', 'mongodb://***@host/'],
    ['mongodb://user:hunt@er2/@host:1/ is odd, @ is %40', 'mongodb://***@host:1/ is odd, @ is %40'],
    [
      'write it like mongodb://USER:PASSWORD@HOST:PORT/, with @ as %40',
      'write it like mongodb://USER:PASSWORD@HOST:PORT/, with @ as %40',
    ],
    ['http://host/?proxyPassword=hunter2&x=1', 'http://host/?proxyPassword=***&x=1'],
    ['?authMechanismProperties=AWS_SESSION_TOKEN:hunter2', '?authMechanismProperties=AWS_SESSION_TOKEN:***'],
    ['no such host: app:S3cretPw@host/shop', 'no such host: ***@host/shop'],
    ["unknown command 'app:S3cret@Pw@host'", "unknown command '***@host'"],
    ['write it like USER:PASSWORD@HOST', 'write it like USER:PASSWORD@HOST'],
    ['http://host:3000/ at 12:30, ada@host is unchanged', 'http://host:3000/ at 12:30, ada@host is unchanged'],
    ['{"mail":"ada@host"} is unchanged', '{"mail":"ada@host"} is unchanged'],
    ['MONGODB+SRV://hunter2@host', 'MONGODB+SRV://***@host'],
    ['mongodb://hunter2 may be a host', 'mongodb://hunter2 may be a host'],
  ])('%s is shown as %s', (text, shown) => {
    expect(toPrintable(text)).toBe(shown);
  });

  test.each([
    ['--url=mongodb+srv://user:hunt@er2/ x@host:1/', '--url=mongodb+srv://***@host:1/'],
    ['user:hunt er2@host', '***@host'],
    ['mongodb2-x://hunt er2@host', 'mongodb2-x://***@host'],
    ['--url=user:hunt er2@host', '--url=***@host'],
  ])('the argument %s is masked wherever a message quotes it', (argument, shown) => {
    const before = process.argv;
    process.argv = [...before.slice(0, 2), 'run', argument];
    try {
      expect(toPrintable(`unknown option '${argument}'`)).toBe(`unknown option '${shown}'`);
    } finally {
      process.argv = before;
    }
  });

  test('a command line is shown without its secrets', () => {
    const words = [
      'node',
      '--db-password',
      'hunt er2',
      'app.js',
      '--DB_TOKEN',
      'hunter2',
      '--token=hunter2',
      'mongodb://user:hunt er2@host/',
      '-p',
      '1',
    ];
    expect(printCommand(words)).toBe(
      'node --db-password *** app.js --DB_TOKEN *** --token=*** mongodb://***@host/ -p 1',
    );
  });

  test('control characters are shown as their codes', () => {
    expect(toPrintable(`a${HOSTILE}b\n\tc\r`)).toBe('a\\u001b]0;owned\\u0007\\u009b31m\\u202eb\n\tc\\u000d');
  });

  test('text is broken between words, where a line would be too long', () => {
    expect(wrap('one two  three\n four', 9)).toBe('one two\nthree\nfour');
    expect(wrap('one two three', 7)).toBe('one two\nthree');
    expect(wrap('  one two', 8)).toBe('one two');
    expect(wrap('incomprehensible one', 5)).toBe('incomprehensible\none');
    expect(wrap('\u001b[1mone\u001b[22m two', 7)).toBe('\u001b[1mone\u001b[22m two');
    expect(wrap('', 5)).toBe('');
    expect(wrap('one', 80)).toBe('one');
  });
});
