import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { Checkouts, createRequests } from 'mongodb-pool-monitor';
import { diagnose, pickPool } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { HistoryFile } from '../src/history-file.js';

const folder = await scratchFolder();
/** Since the epoch. */
let nowMs = 1_700_000_000_000;
const SECOND = /** @type {any} */ ({
  waiting: 3,
  active: 2,
  max: 2,
  ratePerSec: 40,
  loopBusy: 0.2,
  loopCpu: 0.2,
  loopDelayMs: { mean: 1, max: 2 },
  heldMs: { '/slow': 900 },
});
const CLIENTS = /** @type {any} */ ([
  { name: 'shop', servers: ['db:27017'], options: { maxPoolSize: { value: 2, from: 'code' } } },
]);

/** What a process of an app has in its logs, where `add` puts the requests of a second. */
function createProcess(/** @type {string} */ file, maxBytes = 2 ** 20, pid = 7) {
  const checkouts = new Checkouts();
  /** @type {any[]} */
  const all = [];
  /** @type {any[]} */
  const requests = [];
  let lastId = 0;
  const source = {
    checkouts: {
      get lastId() {
        return lastId;
      },
      list: (/** @type {{ after: number, isOutside?: boolean }} */ { after, isOutside = false }) =>
        isOutside ? [] : all.filter(({ id }) => id > after),
      events: checkouts.events,
    },
    requests: {
      ...createRequests(checkouts),
      log: {
        get lastId() {
          return lastId;
        },
        list: (/** @type {{ after: number }} */ { after }) => requests.filter(({ id }) => id > after),
      },
    },
    about: () => ({ process: { pid, command: 'app.js', node: 'v24' } }),
  };
  const history = new HistoryFile(/** @type {any} */ (source), { file, maxBytes });
  cleanUp(() => history.close());
  return {
    history,
    /** @param {number[]} waitsMs */
    add(waitsMs) {
      for (const waitMs of waitsMs) {
        lastId += 1;
        const names = { id: lastId, request: lastId, route: '/fast', pool: 'shop', server: 'db:27017' };
        all.push({
          ...names,
          checkOutStartedAtMs: nowMs,
          checkedOutAtMs: nowMs + waitMs,
          checkedInAtMs: nowMs + waitMs + 1,
          endedAtMs: nowMs + waitMs + 1,
          outcome: 'checkedIn',
          heldBy: [{ route: '/slow', operation: 'find orders', kind: null, requests: [1000, 1001] }],
        });
        requests.push({ ...names, endedAtMs: nowMs + waitMs + 2, totalMs: waitMs + 2, waitMs, status: 200 });
      }
    },
    /** Ends a second, and waits until it is written. */
    async end() {
      const second = { ...SECOND, atMs: (nowMs += 1000) };
      expect(history.isWanted(second)).toBe(true);
      history.write(second, CLIENTS);
      await until('it is written', () => history.isWanted(second));
    },
  };
}

test('two processes and a restart write one trace with the longest waits, and doctor finds the cause', async () => {
  const file = path.join(folder, 'shop.jsonl');
  const processes = [createProcess(file), createProcess(file, undefined, 8)];
  for (const { add } of processes) add([3, 9, ...Array.from({ length: 20 }, (_, index) => 100 + index)]);
  await Promise.all(processes.map(({ end }) => end()));
  const restarted = createProcess(file);
  restarted.add([500]);
  await restarted.end();
  const trace = await readTrace(file);
  expect(trace.processes.map(({ pid }) => pid).toSorted()).toEqual([7, 7, 8]);
  expect([...trace.checkouts.waitMs].toSorted((a, b) => a - b)).toEqual(
    [115, 115, 116, 116, 117, 117, 118, 118, 119, 119, 500].map((ms) => expect.closeTo(ms, 0)),
  );
  expect(trace.seconds.loop).toHaveLength(3);
  expect(diagnose(trace).verdict).toMatchObject({ cause: 'fullPool', isProblem: true });
  expect(() => pickPool(trace)).toThrow(/shop\.jsonl is a history: .+ pool-lab doctor and report read it/);
  expect(trace.warnings).toEqual([]);
});

test('a full file is set aside, so that both together stay within the limit', async () => {
  const file = path.join(folder, 'full.jsonl');
  const [limit, { add, end }] = [10_000, createProcess(file, 10_000)];
  for (let second = 0; second < 20; second += 1) {
    add([50, 60]);
    await end();
  }
  const sizes = await Promise.all([file, `${file}.1`].map(async (each) => (await stat(each)).size));
  expect(sizes[1]).toBeGreaterThanOrEqual(limit / 2);
  // A second may be the last straw.
  expect(sizes[0] + sizes[1]).toBeLessThan(limit + 2000);
  const [both, older] = await Promise.all([file, `${file}.1`].map((each) => readTrace(each)));
  expect(older.checkouts.length).toBeGreaterThan(0);
  expect(both.checkouts.length).toBeGreaterThan(older.checkouts.length);
  expect(both).toMatchObject({ file: `${file}.1 and ${file}`, warnings: [] });
  const times = both.seconds.loop.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test('a history that cannot be written ends with one line, and nothing is wanted any more', async () => {
  const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { history } = createProcess(folder);
  expect(history.isWanted(SECOND)).toBe(true);
  history.write(SECOND, CLIENTS);
  expect(history.isWanted(SECOND)).toBe(false);
  await until('it says so', () => said.mock.calls.length > 0);
  expect(said.mock.calls).toEqual([[expect.stringContaining(`the history ${folder} ends: `)]]);
  expect(history.isWanted(SECOND)).toBe(false);
  said.mockRestore();
});

test('a cut line ends a file, and something else is never overwritten', async () => {
  const file = path.join(folder, 'cut.jsonl');
  const first = createProcess(file);
  first.add([50]);
  await first.end();
  await truncate(file, (await stat(file)).size - 5);
  const second = createProcess(file);
  second.add([70]);
  await second.end();
  for (const [each, waits] of /** @type {const} */ ([
    [`${file}.1`, [50]],
    [file, [50, 70]],
  ])) {
    const { checkouts, warnings } = await readTrace(each);
    expect([...checkouts.waitMs]).toEqual(waits.map((ms) => expect.closeTo(ms, 0)));
    expect(warnings).toEqual([expect.stringMatching(/the last line is incomplete/)]);
  }

  const log = path.join(folder, 'app.log');
  await writeFile(log, 'precious\n');
  const { history } = createProcess(log);
  const say = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  history.write({ ...SECOND, atMs: nowMs }, CLIENTS);
  await until('it gave up', () => say.mock.calls.length > 0);
  expect(say).toHaveBeenCalledWith(
    `mongodb-pool-monitor: the history ${log} ends: it is another file, which stays as it is\n`,
  );
  expect(history.isWanted(SECOND)).toBe(false);
  say.mockRestore();
  expect(await readFile(log, 'utf8')).toBe('precious\n');
});
