import { readdir } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { runNode } from '../support/run-node.js';

const scripts = (await readdir('benchmarks')).filter((name) => name.endsWith('.js'));

test.each(scripts)('%s tells its options, and refuses others in one line', async (name) => {
  const help = await runNode([`benchmarks/${name}`, '--help']);
  expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: /) });
  const { code, stdout, stderr } = await runNode([`benchmarks/${name}`, '--color', 'red']);
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: 'error: unknown option \'--color\'\n' });
});
