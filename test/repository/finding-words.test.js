import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { explainDoubt } from 'mongodb-pool-page/page/prediction-words.js';
import { REASONS } from 'mongodb-pool-page/universal/finding-words.js';
import { judgeTrust, openRecording, readTraceText } from 'mongodb-pool-predictor';
import { runProgram } from '../../lab/cli/program.js';
import { readIncident } from '../../playground/browser/incident.js';
import { predictPreset } from '../../playground/browser/simulation.js';

/** A minute with one request a second, each of another user, the last 15 of whom left after 300 ms. */
const TRACE = [
  { trace: 'mongodb-pool-lab', version: 3, resolutionMs: 0.001 },
  { define: 'pool', id: 0, name: null, address: 'db:1', options: { maxPoolSize: { value: 2, from: 'code' } } },
  { define: 'route', id: 0, name: '/a' },
  ...Array.from({ length: 60 }, (_, request) => [
    { atMs: request * 1000, waitMs: 0, useMs: 5, pool: 0, connection: 1, route: 0, request },
    {
      ...{ request, atMs: request * 1000, route: 0, socket: request + 1 },
      ...(request < 45 ? { durationMs: 6, status: 200 } : { durationMs: 300, status: 0 }),
    },
  ]).flat(),
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

test('a finding has the words of the table on the terminal, on the page and in the playground', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'words-'));
  const file = path.join(folder, 'trace.jsonl');
  await writeFile(file, TRACE);
  const row = jest.replaceProperty(REASONS, 'clientsGiveUp', { words: 'the road was empty' });
  let printed = '';
  const output = jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))));
  try {
    await runProgram(['predict', '--trace', file, '--pool-sizes', '1,2,4', '--seeds', '19']);
    const doubt = judgeTrust(openRecording([await readTraceText(TRACE)]), null).refusal;
    const texts = {
      terminal: printed,
      page: explainDoubt(/** @type {any} */ ({ doubt, poolSizes: [], isOpen: false }), null),
      playground: (await readIncident(TRACE)).why,
    };
    for (const [place, text] of Object.entries(texts))
      expect([place, /the\s+road\s+was\s+empty/.test(text)]).toEqual([place, true]);
  } finally {
    output.mockRestore();
    row.restore();
    await rm(folder, { recursive: true });
  }
});

test('the playground hides the figures of a trace that predict hides, and says why', async () => {
  const { variants, warnings } = await predictPreset({ trace: TRACE, pool: 1, poolSizes: [1, 2, 4] });
  const p95 = variants.map(({ predicted }) => predicted.routes['/a'].p95Ms);
  expect(p95).toEqual([NaN, NaN, NaN]);
  expect(warnings).toContainEqual(expect.stringMatching(/^No figures for 1, 2, 4: 15 clients left after 300 ms /));
});
