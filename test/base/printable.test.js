import { expect, test } from '@jest/globals';
import { printCommand, toPrintable, wrap } from '../../src/base/printable.js';

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
  expect(printCommand(words)).toBe('node --db-password *** app.js --DB_TOKEN *** --token=*** mongodb://***@host/ -p 1');
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
