import { execFileSync } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { traceText } from 'test-support/trace-text.js';
import { createScenarioLoad, createTraceLoad } from '../../src/index.js';
import { createSimulationThreads } from '../../src/node/index.js';
import { scenarioOf } from '../load/sample-scenarios.js';
import { readScenario, readTrace } from '../../src/node/input-files.js';
import { readWorkload } from '../../src/scenario/read-workload.js';

/** @import { Service } from '../../src/index.js' */

const file = path.join(await scratchFolder(), 'odd.yaml');

describe('threads', () => {
  /** @type {Record<string, Service>} */
  const services = {
    '/fast': { kind: 'lognormal', medianMs: 2, sigma: 1 },
    '/slow': { kind: 'sample', valuesMs: [100, 200, 900] },
  };
  const load = createScenarioLoad({
    phases: [{ durationMs: 2000, arrivalRate: 50, mode: 'poisson' }],
    scenarios: [
      { weight: 9, ...scenarioOf('/fast') },
      {
        weight: 1,
        steps: [
          { kind: 'request', route: '/slow' },
          { kind: 'think', ms: 100, jitterMs: 50 },
        ],
      },
    ],
  });
  const runs = Array.from({ length: 12 }, (_, index) => ({ pool: { maxPoolSize: 2 }, seed: index + 1, factor: 1 }));
  const input = { load, services, overhead: services['/fast'], resolutionMs: 1 };

  /** @type {ReturnType<typeof createSimulationThreads>[]} */
  const opened = [];

  /**
   * @param {Partial<Parameters<typeof createSimulationThreads>[0]>} [change]
   * @param {Parameters<typeof createSimulationThreads>[1]} [options]
   */
  function open(change, options) {
    const threads = createSimulationThreads({ ...input, ...change }, { threads: 2, minWorkMs: 0, ...options });
    opened.push(threads);
    return threads;
  }

  /**
   * How many threads the work starts: each thread of a process has the next number.
   * @param {() => Promise<unknown>} work
   */
  async function countThreads(work) {
    const before = await startThread();
    await work();
    return (await startThread()) - before - 1;
  }

  async function startThread() {
    const thread = new Worker('', { eval: true });
    const { threadId } = thread;
    await thread.terminate();
    return threadId;
  }

  afterEach(() => Promise.all(opened.splice(0).map((threads) => threads.close())));

  describe('simulation threads', () => {
    test('have the results of one thread, in the order of the runs', async () => {
      let done = 0;
      const results = await open().simulateRuns(runs, () => done++);
      expect(results).toEqual(await open({}, { threads: 1 }).simulateRuns(runs));
      expect(new Set(results.map(({ maxMs }) => maxMs)).size).toBeGreaterThan(6);
      expect(done).toBe(12);
    });

    test('keep the process alive until they have ended, even if one has only just started', async () => {
      const code = `
        import { createScenarioLoad } from '${new URL('../../src/index.js', import.meta.url)}';
        import { createSimulationThreads } from '${new URL('../../src/node/index.js', import.meta.url)}';
        const scenario = { weight: 1, steps: [{ kind: 'request', route: '/a' }] };
        const load = createScenarioLoad({ phases: [{ durationMs: 9, arrivalCount: 9 }], scenarios: [scenario] });
        const services = { '/a': { kind: 'exponential', meanMs: 2 } };
        for (let round = 0; round < 8; round++) {
          const { simulateRuns, close } = createSimulationThreads({ load, services }, { threads: 2, minWorkMs: 0 });
          await simulateRuns([1, 2, 3, 4].map((seed) => ({ pool: { maxPoolSize: 1 }, seed, factor: 1 })));
          // Meanwhile the other thread starts, and its message waits to be read.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
          await close();
        }
        console.log('ended');`;
      const script = path.join(await scratchFolder(), 'threads.mjs');
      await writeFile(script, code);
      const stdout = execFileSync(process.execPath, [script], { encoding: 'utf8' });
      expect(stdout).toBe('ended\n');
    });

    test('do so for a trace, and for several calls at once', async () => {
      const count = 200;
      const trace = createTraceLoad(
        {
          header: {},
          warnings: [],
          routes: ['/a'],
          routeOf: new Uint32Array(count),
          checkOutStartedMs: Float64Array.from({ length: count }, (_, i) => i * 7),
          waitMs: new Float64Array(count),
          useMs: Float64Array.from({ length: count }, (_, i) => i % 30),
        },
        { resample: true },
      );
      const both = { load: trace, services: trace.services };
      const expected = await open(both, { threads: 1 }).simulateRuns(runs);
      const { simulateRuns } = open(both);
      expect(await Promise.all([simulateRuns(runs), simulateRuns(runs)])).toEqual([expected, expected]);
    });

    test.each(
      /** @type {[string, number, Parameters<typeof open>][]} */ ([
        // This thread is one of them.
        ['as many as allowed', 1, []],
        // The first run is over before there are others.
        ['no more than runs', 2, [{}, { threads: 100 }]],
        ['none for little work', 0, [{}, { minWorkMs: 1e6 }]],
        ['none where one is allowed', 0, [{}, { threads: 1 }]],
        ["none for a load that can't be sent", 0, [{ load: { ...load, source: undefined } }]],
      ]),
    )('start: %s', async (_, count, options) => {
      expect(await countThreads(() => open(...options).simulateRuns(runs.slice(0, 4)))).toBe(count);
    });

    test('pass errors on', async () => {
      const { simulateRuns } = open();
      const invalid = { pool: { maxPoolSize: -1 }, seed: 1, factor: 1 };
      await expect(simulateRuns([...runs, invalid])).rejects.toThrow('maxPoolSize');
    });
  });
});

describe('files', () => {
  const TEXT = 'scenarios: [ { flow: [ { get: { url: /é } } ] } ]\n';

  test('a file that ends in .gz is unpacked, and one that is not packed, or cut off, is named', async () => {
    const packed = `${file}.gz`;
    const text = traceText({ checkouts: [{ atMs: 0, useMs: 2 }] });
    await writeFile(packed, gzipSync(text));
    expect((await readTrace(packed)).checkouts.waitMs).toHaveLength(1);
    for (const [bytes, reason] of [
      [text, 'incorrect header check'],
      [gzipSync(text).subarray(0, 40), 'unexpected end of file'],
    ]) {
      await writeFile(packed, bytes);
      await expect(readTrace(packed)).rejects.toThrow(`${packed} can't be read: ${reason}`);
    }
  });

  test('a large file is shown while it is read', async () => {
    const checkouts = Array.from({ length: 3000 }, (_, atMs) => ({ atMs, useMs: 1 }));
    await writeFile(file, traceText({ checkouts }));
    /** @type {{ done: number, total: number }[]} */
    const read = [];
    await readTrace(file, (bytes) => read.push(bytes));
    const { size } = await stat(file);
    expect(read.length).toBeGreaterThan(1);
    expect(read.at(-1)).toEqual({ done: size, total: size });
    expect(read.map(({ done }) => done)).toEqual(read.map(({ done }) => done).toSorted((a, b) => a - b));
  });

  test('UTF-16, as some editors save it, is refused with a clear error', async () => {
    await writeFile(file, `\ufeff${TEXT}`, 'utf16le');
    await expect(readScenario(file)).rejects.toThrow(`${file} is not UTF-8 text: save it as UTF-8`);
  });

  test('UTF-8 with a byte order mark is read', async () => {
    await writeFile(file, `\ufeff${TEXT}`);
    expect(await readScenario(file)).toEqual(readWorkload(TEXT, { file }));
  });
});
