import { describe, expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';
import { createFuzzer } from './fuzzer.js';

describe('npm run fuzz', () => {
  /** @param {string[]} names */
  function fuzz(...names) {
    const args = ['--file', './bad-targets.js', '--cases', '20', '--seed', '1', ...names];
    return runNode(['scripts/fuzz.js', ...args], { env: { MONGO_URL: sharedMongoUrl() } });
  }

  test.concurrent('prints what it tried, and exits with 0 when nothing failed', async () => {
    const { code, stdout } = await fuzz('holds');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^seed 1 +cases +failures +seconds\nholds +20 +0 +\d+\.\d\n$/),
    });
  });

  test.concurrent('prints failures, and exits with 1', async () => {
    const { code, stdout } = await fuzz('fails', 'holds');
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(
        /^fails +\d+ +1 [^]*seed 1 failed: 8 is too many\nSmallest counterexample .*: 8\n$/m,
      ),
    });
  });

  test.concurrent('lists the targets', async () => {
    const { code, stderr } = await fuzz('no such');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^There is no such target\. The targets are holds,/),
    });
  });

  test.concurrent('loads the real targets, without Jest', async () => {
    const { stderr } = await runNode(['scripts/fuzz.js', 'no such'], { env: { MONGO_URL: sharedMongoUrl() } });
    expect(stderr).toMatch(/^There is no such target\. The targets are .*command lines/m);
  });
});

test.each([
  ['hangs', /^Case \d of seed 1 hangs\nCounterexample, unless an earlier case failed: \d+$/],
  ['waits', /^Case 1 of seed 1 hangs\n[^]*: "for ever"$/],
])('the fuzzer notices what %s', async (name, failure) => {
  const fuzzer = await createFuzzer({ mongoUrl: sharedMongoUrl(), file: './bad-targets.js', maxCaseMs: 2000 });
  cleanUp(fuzzer.close);
  expect((await fuzzer.run({ name, cases: 20, seed: 1 })).failure).toMatch(failure);
});
