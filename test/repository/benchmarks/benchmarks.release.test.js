import { readdir } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { createHiddenLoad, KINDS } from '../../../benchmarks/predicted-vs-measured/hidden-load.js';
import { runNode } from 'test-support/processes.js';

test('a comparison prints ratios to its peer', async () => {
  const { code, stdout, stderr } = await runNode(['benchmarks/bench.js', '--only', 'monitor', '--runs', '1']);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('monitor: plain again\n') });
  expect(stdout).toMatch(
    /'plain' .*'1\.000'.*\n.*'plain again' .*'\d\.\d{3}'.*\n.*'monitor' .*\n.*'monitor and record' .*'\d\.\d{3}'/,
  );
});

test('an unknown part is refused, with those that exist', async () => {
  expect(await runNode(['benchmarks/bench.js', '--only', 'bus'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: '--only bus: there is no such part, only app, demo, monitor\n',
  });
});

test('a busy app is recorded without loss, in few bytes, and read into little memory', async () => {
  const { stdout } = await runNode(['benchmarks/trace-cost.js', '--lines', '100000']);
  const { lines, missed, over } = JSON.parse(stdout);
  // How long it takes to read them depends on what else the machine does.
  expect({ lines, missed, over: over.filter((/** @type {string} */ limit) => limit !== 'readMs') }).toEqual({
    lines: 100_000,
    missed: 0,
    over: [],
  });
});

test('a user of a measured load knows its samples, but not its true times', () => {
  const kinds = [0, 1, 2].map((number) => createHiddenLoad(number));
  expect(kinds.map(({ kind }) => kind)).toEqual(KINDS);
  const [known, measured, trace] = kinds.map(({ known: { services } }) =>
    Object.values(services).map(({ kind }) => kind),
  );
  expect(known).not.toContain('sample');
  expect(new Set([...measured, ...trace])).toEqual(new Set(['sample']));
  expect(createHiddenLoad(1).measure()).toEqual(createHiddenLoad(1).measure());
  expect(createHiddenLoad(1).measure()).not.toEqual(createHiddenLoad(4).measure());
});

const scripts = (await readdir('benchmarks')).filter((name) => name.endsWith('.js'));

test.each(scripts)('%s tells its options, and refuses others in one line', async (name) => {
  const help = await runNode([`benchmarks/${name}`, '--help']);
  expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: /) });
  const { code, stdout, stderr } = await runNode([`benchmarks/${name}`, '--color', 'red']);
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: "error: unknown option '--color'\n" });
});
