import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { explainDoubt } from 'mongodb-pool-page/page/prediction-words.js';
import { REASONS } from 'mongodb-pool-page/universal/finding-words.js';
import { checkRecording, describeCheck, openRecording, readTraceText } from 'mongodb-pool-predictor';
import { runProgram } from '../../lab/cli/program.js';
import { readIncident } from '../../playground/browser/incident.js';
import { predictPreset } from '../../playground/browser/simulation.js';

/** A minute in which nobody waited: one request a second, each of another user. */
const TRACE = [
  { trace: 'mongodb-pool-lab', version: 3, resolutionMs: 0.001 },
  { define: 'pool', id: 0, name: null, address: 'db:1', options: { maxPoolSize: { value: 2, from: 'code' } } },
  { define: 'route', id: 0, name: '/a' },
  ...Array.from({ length: 60 }, (_, request) => [
    { atMs: request * 1000, waitMs: 0, useMs: 5, pool: 0, connection: 1, route: 0, request },
    { request, atMs: request * 1000, durationMs: 6, status: 200, route: 0, socket: request + 1 },
  ]).flat(),
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

test('a finding has the words of the table on the terminal, in a report, on the page and the playground', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'words-'));
  const [file, page] = ['trace.jsonl', 'report.html'].map((name) => path.join(folder, name));
  await writeFile(file, TRACE);
  const row = jest.replaceProperty(REASONS, 'nobodyWaited', { words: 'the road was empty' });
  let printed = '';
  const output = jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))));
  try {
    await runProgram(['predict', '--trace', file, '--pool-sizes', '1,2,4', '--seeds', '19', '--html', page]);
    const recording = openRecording([await readTraceText(TRACE)]);
    const check = await checkRecording(recording);
    const doubt = describeCheck(check);
    const texts = {
      terminal: printed,
      report: await readFile(page, 'utf8'),
      page: explainDoubt(/** @type {any} */ ({ doubt, poolSizes: [], isOpen: false, check }), null),
      playground: (await readIncident(TRACE)).trust,
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
  expect(p95.map(Number.isNaN)).toEqual([true, false, false]);
  expect(warnings).toContainEqual(expect.stringContaining(`for 1: ${REASONS.nobodyWaited.words}`));
});
