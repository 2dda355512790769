import { expect, test } from '@jest/globals';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';
import { scratchFolder } from 'test-support/cleanup.js';

test('failed requests are an error, with their reason', async () => {
  const { code, stdout, stderr } = await runNode(
    [
      'lab/cli.js',
      'run',
      'mixed',
      '--pool-sizes',
      '1',
      '--slow-ms',
      '1500',
      '--environment',
      'smoke',
      '--json',
      '--out',
      await scratchFolder(),
    ],
    { env: { MONGO_URL: sharedMongoUrl(), MONGO_WAIT_QUEUE_TIMEOUT_MS: '100' } },
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/pool 1.*\d x HTTP 503/);
  const [{ measured, predicted }] = JSON.parse(stdout).variants;
  expect(measured.failures).toBeGreaterThan(0);
  expect(predicted.failures).toBeGreaterThan(0);
});
