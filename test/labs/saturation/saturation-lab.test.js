import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { runLab } from '../../../src/harness/run-lab.js';
import { openReadTickets } from '../../../src/labs/saturation/read-tickets.js';
import { saturation } from '../../../src/labs/saturation/saturation-lab.js';
import { readSettings } from '../../../src/settings.js';
import { cleanUp } from '../../support/cleanup.js';
import { sharedMongoUrl } from '../../support/environment.js';
import { runCli } from '../../support/run-cli.js';
import { scratchFolder } from '../../support/scratch-folder.js';

const folder = await scratchFolder();
const client = await MongoClient.connect(sharedMongoUrl());
cleanUp(() => client.close());

const SMALL = ['--pool-sizes', '1,2', '--reference', '8', '--open-sizes', '2', '--callers', '6', '--share', '0.5', '--heavy-ms', '2', '--entries',
  '20', '--measure-ms', '60', '--repeat', '3'];
/** @type {any} */
const DEFAULTS = Object.fromEntries(Object.entries(saturation.options).map(([name, option]) => [name, option.default]));
/** Other tests read from this server too: one ticket less does not hurt them. */
const FEWER = 127;

/** @param {string[]} args */
async function run(args) {
  const out = path.join(folder, args.join(''));
  const { code, stdout, stderr } = await runCli(['run', 'saturation', '--json', '--out', out, ...SMALL, ...args],
    { env: { MONGO_URL: sharedMongoUrl() } });
  /** @type {import('../../../src/report/result-types.js').Result} */
  const result = stdout ? JSON.parse(stdout) : null;
  return { code, stderr, result, out };
}

/** @param {any} options @param {(step: { name: string }) => void} [onStep] @param {AbortSignal} [signal] */
function measure(options, onStep = () => {}, signal = new AbortController().signal) {
  return runLab(saturation, { ...DEFAULTS, ...options }, {
    settings: readSettings({ MONGO_URL: sharedMongoUrl() }), signal, report: () => {}, onStep,
  });
}

/** @returns {Promise<number>} */
async function readTickets() {
  const { wiredTiger } = await client.db('admin').command({ serverStatus: 1 });
  return wiredTiger.concurrentTransactions.read.totalTickets;
}

test('by default it measures pools from 1 to 300 for each cause, and compares the best with 100 five times', async () => {
  const { variants } = await saturation.plan(DEFAULTS);
  const closed = variants.filter(({ settings: { cause, load, role } }) => cause === 'processor' && load === 'closed' && role === 'size');
  expect(closed.map(({ settings }) => settings.poolSize)).toEqual([1, 2, 4, 8, 16, 32, 64, 100, 128, 300]);
  expect([...new Set(variants.map(({ settings }) => settings.cause))]).toEqual(['processor', 'hotDocument', 'tickets']);
  expect([...new Set(variants.map(({ settings }) => settings.load))]).toEqual(['closed', 0.5, 0.8, 1.1]);
  expect(variants.filter(({ once }) => !once).map(({ name }) => name)).toEqual([
    'processor: best', 'processor: 100', 'hot document: best', 'hot document: 100', '64 documents: 100', 'tickets: best',
    'tickets: 100', 'default tickets: 100',
  ]);
  expect(saturation.repeat?.default).toBe(5);
  const seconds = variants.reduce((total, { once, estimateMs }) => total + estimateMs * (once ? 1 : 5), 0) / 1000;
  expect(seconds).toBeLessThan(180);
});

test.each([
  ['--loads', 'closed,3', /"3" is neither closed nor a number above 0 and below 2/],
  ['--share', '0', /must be a number above 0 and at most 1/],
  ['--causes', 'memory', /"memory" is not one of processor, hotDocument, tickets/],
])('%s %s is refused', async (option, value, problem) => {
  const { code, stderr } = await run([option, value]);
  expect(code).toBe(1);
  expect(stderr).toMatch(problem);
});

test('a run says what pool and server did, and by how much the best size beats the large one', async () => {
  const { code, stderr, result, out } = await run(['--causes', 'processor,hotDocument', '--loads', 'closed,0.5']);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/processor: heavy p99, 8 \/ [12] +[\d.]+ [\d.]+ to [\d.]+/) });
  expect(result).toMatchObject({ lab: 'saturation', settings: { repeat: 3, reference: 8, callers: 6 }, warnings: [] });
  for (const { name, settings, measured, repeats } of result.variants) {
    expect({ name, repeats }).toMatchObject({ repeats: { length: settings.role === 'size' ? 1 : 3 } });
    expect({ name, ...measured }).toMatchObject({
      poolSize: expect.any(Number), ratePerSec: expect.any(Number), waitMs: expect.any(Number), useMs: expect.any(Number),
      sentPerSec: settings.load === 'closed' ? null : expect.any(Number), timeouts: 0,
      // A busy machine may not get to both kinds within so short a time.
      heavy: { count: expect.any(Number) }, cheap: { count: expect.any(Number) },
      server: { cores: expect.any(Number), ticketsOut: expect.any(Number), queued: expect.any(Number), conflictsPerSec: expect.any(Number) },
    });
  }
  const of = (/** @type {string} */ wanted) => result.variants.find(({ name }) => name === wanted)?.measured;
  // Repeats of the large pool together have some of both.
  expect(of('processor: 8')).toMatchObject({ heavy: { p50Ms: expect.any(Number) }, cheap: { p99Ms: expect.any(Number) } });
  // Six callers share one connection, or have one each.
  expect(of('processor, 1').waitMs).toBeGreaterThan(of('processor, 1').useMs);
  expect(of('processor: 8').useMs).toBeGreaterThan(of('processor: 8').waitMs);
  expect([1, 2]).toContain(of('hot document: best').poolSize);
  expect(await readFile(path.join(out, 'saturation.html'), 'utf8')).toContain('A server that is full');

  const collections = await client.db('pool_lab').listCollections().toArray();
  expect(collections.map(({ name }) => name)).not.toContain(`saturation_${process.pid}`);
});

test("the tickets of somebody else's MongoDB are left alone, and the result says so once", async () => {
  const { code, stderr, result } = await run(['--causes', 'tickets', '--loads', 'closed']);
  expect(code).toBe(0);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('! tickets: not measured: others may use this MongoDB, too. --change-tickets');
  expect(result.warnings).toHaveLength(1);
  expect(result.variants.map(({ measured, error }) => ({ measured, error }))).toEqual(Array(5).fill({ measured: null, error: undefined }));
});

test('tickets are set for the measurements, not for the control, and restored afterwards', async () => {
  const before = await readTickets();
  const { variants } = await measure({
    causes: ['tickets'], poolSizes: [2], reference: 4, loads: ['closed'], callers: 4, heavyMs: 2, measureMs: 60, repeat: 1,
    tickets: FEWER, changeTickets: true,
  });
  const totals = Object.fromEntries(variants.map(({ name, measured }) => [name, measured?.server.ticketsTotal]));
  const all = totals['default tickets: 4'];
  const fewer = all - before + FEWER;
  expect(totals).toEqual({
    'tickets, 2': fewer, 'tickets: best': fewer, 'tickets: 4': fewer, 'default tickets: 4': all,
  });
  expect(await readTickets()).toBe(before);
});

test('tickets are restored when the run is interrupted', async () => {
  const before = await readTickets();
  const controller = new AbortController();
  /** @type {Promise<number> | undefined} */
  let during;
  const running = measure({
    causes: ['tickets'], poolSizes: [2], reference: 4, loads: ['closed'], callers: 4, heavyMs: 2, measureMs: 60_000,
    tickets: FEWER, changeTickets: true,
  }, () => {
    during = waitForTickets(FEWER).finally(() => controller.abort(new Error('interrupted')));
  }, controller.signal);
  await expect(running).rejects.toThrow('interrupted');
  expect(await during).toBe(FEWER);
  expect(await readTickets()).toBe(before);
});

test('a number of tickets that the server refuses is a reason, not a failure', async () => {
  const { variants, warnings } = await measure({
    causes: ['tickets'], poolSizes: [2], loads: ['closed'], heavyMs: 2, measureMs: 60, tickets: 1, changeTickets: true,
  });
  expect(warnings).toEqual([expect.stringMatching(/^tickets: not measured: .*\b5\b.*\b1\b/)]);
  expect(variants.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined]);
});

test('a server without the parameter is a reason, too', async () => {
  const command = async () => { throw new Error('no option found to get'); };
  const old = /** @type {any} */ ({ db: () => ({ command }) });
  await expect(openReadTickets(old)).rejects.toThrow('the server does not tell how many read tickets it has: no option found to get');
});

/** @param {number} wanted */
async function waitForTickets(wanted) {
  const deadline = performance.now() + 10_000;
  let tickets = await readTickets();
  while (tickets !== wanted && performance.now() < deadline) tickets = await readTickets();
  return tickets;
}
