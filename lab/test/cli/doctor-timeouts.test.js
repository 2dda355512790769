import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { scratchFolder } from 'test-support/cleanup.js';
import { explainLastMinute } from 'mongodb-pool-page/universal/explain-diagnosis.js';
import { describeFinding } from 'mongodb-pool-page/universal/finding-words.js';
import { runCli } from '../support/run-cli.js';

const folder = await scratchFolder();
const isDiagnosis = new Ajv().compile(JSON.parse(await readFile('lab/predictions/diagnosis.schema.json', 'utf8')));
const about = { client: 'shop', option: 'timeoutMS', value: 500 };
const UNSAFE = { kind: /** @type {const} */ ('unsafeTimeout'), driver: '7.7.0', ...about };
const INSTEAD =
  'Limit each stage instead: serverSelectionTimeoutMS, waitQueueTimeoutMS for the wait for a connection, ' +
  "socketTimeoutMS for an answer, and a query's maxTimeMS.";

test('timeoutMS: both findings say what to set in its place', () => {
  expect(describeFinding(UNSAFE)).toBe(
    `shop: remove timeoutMS (500 ms). With driver 7.7.0, an operation that follows a time-out can get the answer of ` +
      `the one that timed out, so a user can see another's data. Drivers 6.22 and 7.8 ignore the option. ${INSTEAD}`,
  );
  expect(describeFinding({ ...about, kind: 'ignoredTimeout', driver: '7.9.0' })).toBe(
    `shop: timeoutMS has no effect in driver 7.9.0, so it ends no operation. ${INSTEAD}`,
  );
});

test('a page warns of a dangerous timeoutMS, even if nothing is known of the waits', () => {
  const diagnosis = /** @type {any} */ ({
    verdict: { cause: 'tooLittleData' },
    settings: [UNSAFE, { ...UNSAFE, kind: 'ignoredTimeout' }],
  });
  expect(explainLastMinute(diagnosis, false)).toBe(describeFinding(UNSAFE));
});

test('a dangerous timeoutMS comes right after the verdict, and is a problem for CI though nobody waits', async () => {
  /** @param {string} driver */
  const diagnose = async (driver) => {
    const file = path.join(folder, `${driver}.jsonl`);
    const options = { maxPoolSize: { value: 2 }, timeoutMS: { value: 500, from: 'code' } };
    const lines = [
      { trace: 'mongodb-pool-lab', version: 3, resolutionMs: 0.001 },
      { define: 'pool', id: 0, name: 'shop', driver, options },
      { define: 'route', id: 0, name: '/articles/:id' },
      ...Array.from({ length: 40 }, (_, request) => [
        { atMs: request * 100, waitMs: 0, useMs: 2, pool: 0, connection: 1, route: 0, request },
        { request, route: 0, atMs: request * 100, durationMs: 3, status: 200 },
      ]).flat(),
    ];
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return { text: await runCli(['doctor', file]), json: await runCli(['doctor', file, '--json']) };
  };
  const { text, json } = await diagnose('7.7.0');
  const { settings, ...diagnosis } = JSON.parse(json.stdout);
  expect(isDiagnosis({ settings, ...diagnosis }) || isDiagnosis.errors).toBe(true);
  expect({ code: text.code, settings, cause: diagnosis.verdict.cause }).toEqual({
    ...{ code: 2, cause: 'none' },
    settings: [UNSAFE],
  });
  expect(text.stdout.split('\n\n')[1]).toMatch(/^! shop: remove timeoutMS/);
  expect((await diagnose('6.10.0')).text.code).toBe(0);
});
