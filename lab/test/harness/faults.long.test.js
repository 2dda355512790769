import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { startReplicaSet } from 'test-support/cleanup.js';
import { startApp } from '../../harness/app-process.js';
import { runHttpLoad } from '../../harness/loads/http.js';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import { readSettings } from '../../../src/settings.js';
import { serveHandler } from '../../../test/support/serve-app.js';
import { measureLab } from '../support/measure-lab.js';

/** @import { AnyLab } from '../../harness/run-lab.js' */

describe('a run', () => {
  /** A lab with two variants, A and B. @param {Pick<AnyLab, 'measure' | 'prepare'>} own @returns {AnyLab} */
  const makeLab = (own) => ({
    ...mixed,
    plan: async () => ({
      settings: {},
      variants: ['A', 'B'].map((name) => ({ name, settings: {}, estimateMs: 1000 })),
    }),
    predict: undefined,
    ...own,
  });

  test('when the app is killed during a measurement, the result says so and has no figures', async () => {
    const lab = makeLab({
      prepare: undefined,
      measure: async (variant, plan, { mongoUrl, signal }) => {
        const app = await startApp({ MONGO_URL: mongoUrl }, { signal });
        try {
          const ended = once(app.signal, 'abort');
          process.kill(app.pid, 'SIGKILL');
          await ended;
          await fetch(app.url);
          return { measured: { requests: 1 } };
        } finally {
          await app.stop();
        }
      },
    });
    const { variants } = await measureLab(lab);
    expect(variants[0]).toMatchObject({ measured: null, error: 'the app ended by itself: signal SIGKILL' });
  });

  test('when MongoDB is killed during a measurement, the result says so and has no figures', async () => {
    const mongod = await startReplicaSet();
    const lab = makeLab({
      prepare: async (plan, { onEnd }) => onEnd(() => Promise.reject(new Error('no connection'))),
      measure: async ({ name }, plan, { signal }) => {
        if (name === 'A') return { measured: { requests: 1 } };
        const aborted = once(signal, 'abort');
        await mongod.kill('SIGKILL');
        await aborted;
        // As an app would have answered with 503 until the end of the load.
        return { measured: { requests: 1, failures: 1 } };
      },
    });
    const settings = readSettings({ MONGO_URL: mongod.url, MONGO_SERVER_SELECTION_TIMEOUT_MS: '2000' });
    const { variants, warnings } = await measureLab(lab, {}, { settings });
    expect(variants).toMatchObject([
      { measured: { requests: 1 } },
      { measured: null, error: expect.stringMatching(/^MongoDB was lost during the measurement: /) },
    ]);
    expect(warnings).toEqual(['what was set up could not be removed: no connection']);
  });
});

describe('an HTTP load', () => {
  test('a server that closes its connections is found out', async () => {
    let answers = 0;
    const url = await serveHandler((req, res) => {
      res.end('{}');
      answers += 1;
      if (answers % 2 === 0) req.socket.end();
    });
    const { measured, failed } = await runHttpLoad({ url, connections: 2, warmUpMs: 150, durationMs: 2000 });
    expect(measured.reopened).toBeGreaterThan(0);
    expect(failed).toMatch(/connection opened again/);
  });

  test('answers of another status are failures', async () => {
    const url = await serveHandler((req, res) => {
      res.statusCode = 503;
      res.end();
    });
    const { measured, failed } = await runHttpLoad({ url, connections: 32, warmUpMs: 150, durationMs: 150 });
    expect(measured).toMatchObject({ requests: 0, errors: 0, timeouts: 0 });
    expect(measured.non2xx).toBe(measured.failures);
    expect(failed).toBe(`${measured.non2xx} x HTTP 503`);
  });

  test('an abort ends the load', async () => {
    const controller = new AbortController();
    const url = await serveHandler(() => controller.abort(new Error('enough')));
    const load = { url, connections: 32, warmUpMs: 150, durationMs: 150 };
    await expect(runHttpLoad(load, { signal: controller.signal })).rejects.toThrow('enough');
  });
});
