import { expect, test } from '@jest/globals';
import { startApp } from '../../harness/app-process.js';
import { runLab } from '../../harness/run-lab.js';
import { readSettings } from '../../../src/settings.js';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import { startReplicaSet } from 'test-support/cleanup.js';

/** @import { AnyLab, Measurement, PlannedVariant, Step } from '../../harness/run-lab.js' */

/**
 * @param {(name: string) => Measurement | Promise<Measurement>} measureOne
 * @returns {AnyLab} with two variants, A and B
 */
function makeLab(measureOne) {
  return {
    ...mixed,
    name: 'letters',
    plan: async () => ({
      settings: { alphabet: 'latin' },
      variants: ['A', 'B'].map((name) => ({ name, settings: {}, exact: { maxMs: 1 }, estimateMs: 1000 })),
    }),
    measure: async ({ name }) => measureOne(name),
    predict: undefined,
  };
}

/** @param {Partial<Parameters<typeof runLab>[2]>} [changes] */
function surroundings(changes) {
  return {
    settings: readSettings({ MONGO_URL: process.env.TEST_MONGO_URL }),
    signal: new AbortController().signal,
    report: () => {},
    onStep: () => {},
    ...changes,
  };
}

test('repeats are interleaved, and the result has their sums and medians', async () => {
  /** @type {string[]} */
  const order = [];
  const lab = makeLab((name) => ({ measured: { requests: 1, maxMs: order.push(name) } }));
  const result = await runLab(lab, { repeat: 3 }, surroundings());
  expect(order.join('')).toBe('ABABAB');
  expect(result).toMatchObject({
    lab: 'letters',
    settings: { alphabet: 'latin', repeat: 3, parallel: false },
    variants: [
      { name: 'A', measured: { requests: 3, maxMs: 3 }, exact: { maxMs: 1 }, published: null },
      { name: 'B', measured: { requests: 3, maxMs: 4 } },
    ],
  });
  expect(result.variants[0].repeats).toHaveLength(3);
  expect(result.environment).toMatchObject({
    node: process.versions.node,
    mongodb: expect.stringMatching(/^\d+\.\d+/),
  });
});

test('what a measurement works out replaces what was planned', async () => {
  let number = 0;
  const lab = makeLab((name) => ({
    measured: { maxMs: 5 },
    ...(name === 'A' && { exact: { maxMs: 10 + (number += 1) } }),
  }));
  const { variants } = await runLab(lab, { repeat: 3 }, surroundings());
  expect(variants.map(({ exact }) => exact)).toEqual([{ maxMs: 12 }, { maxMs: 1 }]);
});

test('in parallel the variants of a round run at once', async () => {
  let running = 0;
  let peak = 0;
  const lab = makeLab(async () => {
    peak = Math.max(peak, ++running);
    await new Promise(setImmediate);
    running--;
    return { measured: {} };
  });
  await runLab(lab, { parallel: true }, surroundings());
  expect(peak).toBe(2);
});

test('a lab has its own number of repeats, and variants that are measured once', async () => {
  /** @type {string[]} */
  const order = [];
  const lab = makeLab((name) => ({ measured: { requests: 1, maxMs: order.push(name) } }));
  const twice = {
    ...lab,
    repeat: { default: 3, about: '' },
    /** @type {AnyLab['plan']} */
    plan: async (options) => {
      const { variants, ...rest } = await lab.plan(options);
      return {
        ...rest,
        variants: variants.map((/** @type {PlannedVariant} */ variant) => ({ ...variant, once: variant.name === 'A' })),
      };
    },
  };
  const { variants } = await runLab(twice, {}, surroundings());
  expect(order.join('')).toBe('ABBB');
  expect(variants.map(({ repeats }) => repeats?.length)).toEqual([1, 3]);
  order.length = 0;
  await runLab(twice, { repeat: 2 }, surroundings());
  expect(order.join('')).toBe('ABB');
});

test('a variant that cannot run says why and does not stop the other', async () => {
  const lab = makeLab((name) => {
    if (name === 'A') throw new Error('A is ill');
    return { measured: { requests: 1 } };
  });
  const { variants } = await runLab(lab, {}, surroundings());
  expect(variants).toMatchObject([{ measured: null, error: 'A is ill' }, { measured: { requests: 1 } }]);
  expect(variants[1].error).toBeUndefined();
});

test('failed requests and warnings are kept with their variant', async () => {
  const lab = makeLab(() => ({ measured: { failures: 2 }, failed: '2 x HTTP 503', warnings: ['too slow'] }));
  const { variants, warnings } = await runLab(lab, { repeat: 2 }, surroundings());
  expect(variants[0]).toMatchObject({ measured: { failures: 4 }, error: '2 x HTTP 503' });
  expect(warnings).toContain('A: too slow');
});

test('each step says how much is left', async () => {
  /** @type {Step[]} */
  const steps = [];
  await runLab(
    makeLab(() => ({ measured: {} })),
    { repeat: 2 },
    surroundings({ onStep: (step) => steps.push(step) }),
  );
  expect(steps.map(({ name, leftMs, totalMs }) => [name, leftMs, totalMs])).toEqual([
    ['A', 4000, 4000],
    ['B', 3000, 4000],
    ['A', 2000, 4000],
    ['B', 1000, 4000],
  ]);
});

test('an abort ends the run with its reason', async () => {
  const controller = new AbortController();
  const lab = makeLab(() => {
    controller.abort(new Error('enough'));
    throw new Error('killed');
  });
  await expect(runLab(lab, {}, surroundings({ signal: controller.signal }))).rejects.toThrow('enough');
});

test('what all measurements share is set up before them and taken away after them', async () => {
  /** @type {string[]} */
  const order = [];
  const lab = {
    ...makeLab((name) => {
      order.push(name);
      return { measured: {} };
    }),
    prepare: async () => {
      order.push('prepare');
      return {
        undo: async () => {
          order.push('undo');
        },
      };
    },
  };
  await runLab(lab, {}, surroundings());
  expect(order).toEqual(['prepare', 'A', 'B', 'undo']);
});

test('a MongoDB can be named in place of MONGO_URL', async () => {
  const settings = readSettings({ MONGO_URL: 'mongodb://127.0.0.1:1' });
  const lab = makeLab(() => ({ measured: {} }));
  const impatient = surroundings({ settings: { ...settings, serverSelectionTimeoutMs: 100 } });
  await expect(runLab(lab, {}, impatient)).rejects.toThrow(/no MongoDB was found/);
  await runLab(lab, { url: process.env.TEST_MONGO_URL }, surroundings({ settings }));
  const fromSource = { ...lab, mongo: { urlOption: 'source' } };
  await runLab(fromSource, { source: process.env.TEST_MONGO_URL }, surroundings({ settings }));
});

test('when the app is killed during a measurement, the result says so and has no figures', async () => {
  const lab = {
    ...makeLab(() => ({ measured: {} })),
    /** @type {AnyLab['measure']} */
    measure: async (variant, plan, { mongoUrl, signal }) => {
      const app = await startApp({ MONGO_URL: mongoUrl }, { signal });
      try {
        process.kill(app.pid, 'SIGKILL');
        await new Promise((resolve) => {
          app.signal.addEventListener('abort', resolve);
        });
        await fetch(app.url);
        return { measured: { requests: 1 } };
      } finally {
        await app.stop();
      }
    },
  };
  const { variants } = await runLab(lab, {}, surroundings());
  expect(variants[0]).toMatchObject({ measured: null, error: 'the app ended by itself: signal SIGKILL' });
});

test('when MongoDB is killed during a measurement, the result says so and has no figures', async () => {
  const mongod = await startReplicaSet();
  /** @type {string[]} */
  const order = [];
  const lab = {
    ...makeLab(() => ({ measured: {} })),
    /** @type {AnyLab['measure']} */
    measure: async ({ name }, plan, { signal }) => {
      order.push(name);
      if (name === 'A') return { measured: { requests: 1 } };
      const aborted = new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      await mongod.kill('SIGKILL');
      await aborted;
      // As an app would have answered with 503 until the end of the load.
      return { measured: { requests: 1, failures: 1 } };
    },
    prepare: async () => ({
      undo: async () => {
        throw new Error('no connection');
      },
    }),
  };
  const settings = readSettings({ MONGO_URL: mongod.url, MONGO_SERVER_SELECTION_TIMEOUT_MS: '2000' });
  const { variants, warnings } = await runLab(lab, {}, surroundings({ settings }));
  expect(variants).toMatchObject([
    { measured: { requests: 1 } },
    { measured: null, error: expect.stringMatching(/^MongoDB was lost during the measurement: /) },
  ]);
  expect(warnings).toEqual(['what was set up could not be removed: no connection']);
});
