import { expect, test } from '@jest/globals';
import { quoteOutput } from '../../harness/app-output.js';

const FRAMES = Array.from({ length: 12 }, (_, index) => `    at deep (/app/server.js:${index + 1}:49)`);

test('the text of an error is whole, and one frame says where it happened', () => {
  const text = Array.from({ length: 30 }, (_, line) => `line ${line} of the message`);
  const output = ['listening soon', '/app/server.js:2', '   ^', '', `Error: ${text.join('\n')}`, ...FRAMES, ''];
  expect(quoteOutput([...output, 'Node.js v24.1.0'].join('\n'))).toBe(`Error: ${text.join('\n')}\n${FRAMES[0]}`);
});

test('the cause is quoted below, without its frames', () => {
  const cause = ['  [cause]: MongoServerSelectionError: nobody answers', ...FRAMES.map((line) => `  ${line}`), '  }'];
  const output = ['MongooseError: no connection', ...FRAMES, ...cause].join('\n');
  expect(quoteOutput(output).split('\n')).toEqual([
    'MongooseError: no connection',
    FRAMES[0],
    cause[0],
    `  ${FRAMES[0]}`,
    '  }',
  ]);
});

test.each([
  ['', ''],
  ['at the end', 'at the end'],
  [
    Array.from({ length: 20 }, (_, line) => line).join('\n'),
    Array.from({ length: 15 }, (_, line) => line + 5).join('\n'),
  ],
])('other output: its last lines', (output, quoted) => {
  expect(quoteOutput(output)).toBe(quoted);
});
