import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openRecording } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { scratchFolder } from 'test-support/cleanup.js';
import { traceText } from 'test-support/trace-text.js';
import { acceptsOnly, check } from '../../support/check-lesson.js';

const folder = await scratchFolder();

/** A recording with a request every 10 ms. One in a hundred is a bus. @param {number} fastMs */
async function record(fastMs) {
  const file = path.join(folder, `${fastMs}.jsonl`);
  const checkouts = Array.from({ length: 320 }, (_, index) => {
    const isBus = index % 100 === 50;
    return { atMs: index * 10, useMs: isBus ? 400 : fastMs, route: isBus ? '/slow' : '/fast' };
  });
  await writeFile(file, traceText({ poolSize: 8, checkouts }));
  return openRecording([await readTrace(file)]);
}

describe('13-your-own-pool', () => {
  const name = '13-your-own-pool';

  test('right with the size that advise gives for the trace', async () => {
    const recording = await record(2);
    expect(await check(name, { recording, answer: 4 })).toMatchObject({ isRight: true });
    expect(await check(name, { recording, answer: 3 })).toMatchObject({
      isRight: false,
      words: expect.stringMatching(/miss the goal too often/),
    });
    expect(await check(name, { recording, answer: 5 })).toMatchObject({
      isRight: false,
      words: expect.stringMatching(/so are fewer/),
    });
  });

  test('not yet with a trace in which nothing helps', async () => {
    expect(await check(name, { recording: await record(150), answer: 4 })).toMatchObject({
      isRight: false,
      words: expect.stringMatching(/advise finds no size for/),
    });
  });
});

test('13-your-own-pool: a recording that comes with the lab does not count, whatever its file is called', async () => {
  const file = path.join(folder, 'my-minute.jsonl');
  await copyFile('examples/ordinary-minute.jsonl', file);
  expect(
    await check('13-your-own-pool', { recording: openRecording([await readTrace(file)]), answer: 14 }),
  ).toMatchObject({
    isRight: false,
    words: expect.stringMatching(/comes with the lab/),
  });
});

describe('13-your-own-pool/twist', () => {
  const name = '13-your-own-pool/twist';

  test('right with the connections of a separate pool', async () => {
    expect(await check(name, { recording: await record(2), answer: 2 })).toMatchObject({ isRight: true });
    expect(await check(name, { recording: await record(2), answer: 4 })).toMatchObject({
      isRight: false,
      words: expect.stringMatching(/Read "Alternative: a separate pool"/),
    });
  });

  test('not yet where no separate pool helps', async () => {
    expect(await check(name, { recording: await record(150), answer: 2 })).toMatchObject({
      isRight: false,
      words: expect.stringMatching(/knows no separate pool/),
    });
  });
});

describe('14-fleet-budget', () => {
  acceptsOnly('14-fleet-budget', { answer: 5 }, [4, 6, 7, 73]);
});

describe('14-fleet-budget/twist', () => {
  acceptsOnly('14-fleet-budget/twist', { answer: 1440 }, [720, 1280]);
});
