import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readTrace } from 'mongodb-pool-predictor/node';
import { scratchFolder } from 'test-support/cleanup.js';
import { serveHandler } from '../../../test/support/serve-app.js';
import { recordRealApp } from '../support/record-app.js';
import { runCli } from '../support/run-cli.js';

test('a real app under load: each checkout, the settings of the app, and what its server did', async () => {
  const { code, stderr, file } = await recordRealApp({ slowMs: 100, rounds: 2 });
  // The app itself may have queried its database.
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/Recorded 4\d checkouts\.\n$/) });
  const { header, server } = await readTrace(file);
  // The slow query sleeps.
  expect(server).toMatchObject({ cores: availableParallelism(), busyCores: expect.any(Number) });
  // The app runs on the server's machine.
  expect(server?.otherBusyCores).toBeGreaterThan(0);
  expect(header).toMatchObject({
    pool: { poolSize: 2, minPoolSize: 2, requestTimeoutMs: 150_000 },
    overhead: { kind: 'sample' },
  });
  expect(/** @type {any} */ (header.overhead).valuesMs.length).toBeGreaterThan(25);
  const options = ['--pool-sizes', '1..4', '--seeds', '19', '--json'];
  const { variants } = JSON.parse((await runCli(['predict', '--trace', file, ...options])).stdout);
  expect(variants[0].measured).toBeNull();
  expect(variants[1].measured.meanWaitMs).toBeGreaterThan(0);
});

describe('an app that does not answer', () => {
  const CHECKOUT = { id: 9, checkOutStartedAtMs: 1, checkedOutAtMs: 2, checkedInAtMs: 3 };

  /**
   * Records it.
   * @param {(fetched: number, end: () => void) => object | null} answer to how many questions; null: none
   */
  async function recordSilent(answer) {
    let fetched = 0;
    const stop = new AbortController();
    const url = await serveHandler((req, res) => {
      const isQuestion = req.url?.startsWith('/pool/checkouts');
      const part = isQuestion ? answer(++fetched, () => stop.abort()) : { max: 3 };
      if (part) res.end(JSON.stringify({ checkouts: [], lastId: fetched, forgotten: 0, ...part }));
    });
    const file = path.join(await scratchFolder(), 'silent.jsonl');
    const { signal } = stop;
    const ran = await runCli(['record', '--url', url, '--out', file, '--every', '50'], { interrupt: signal });
    return { ...ran, file };
  }

  test('until the end leaves a gap, which the trace mentions', async () => {
    const { code, stderr, file } = await recordSilent((fetched, end) => {
      if (fetched <= 2) return fetched === 2 ? { checkouts: [CHECKOUT], forgotten: 4 } : {};
      end();
      return null;
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/ 1 checkout\.\nThe app did not answer for \d+\.\d s\.\n4 checkouts lost: /),
    });
    const last = (await readFile(file, 'utf8')).trim().split('\n').at(-1);
    expect(JSON.parse(String(last))).toMatchObject({ end: 'closed', lost: 4, silentMs: expect.any(Number) });
  });

  test('for too long does not end the recording', async () => {
    const { code, stderr, file } = await recordSilent((fetched, end) => {
      if (fetched === 4) end();
      if (fetched === 2) return null;
      return fetched === 3 ? { checkouts: [CHECKOUT] } : {};
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^Recording .*\n--url .* does not answer GET \/pool\/checkouts\?after=1 \(waited 5 s\)\. Trying again\.\nRecorded 1 checkout\.\n/,
      ),
    });
    expect((await readTrace(file)).checkouts).toHaveLength(1);
  });
});
