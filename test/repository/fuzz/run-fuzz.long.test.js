import { describe, expect, test } from '@jest/globals';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';

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
