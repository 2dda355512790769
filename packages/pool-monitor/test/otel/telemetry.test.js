import { expect, test } from '@jest/globals';
import { createFakeClient } from 'test-support/fake-client.js';
import { Checkouts } from '../../src/core/checkouts.js';
import { EventBatch } from '../../src/core/event-batch.js';
import { createTelemetry } from '../../src/otel/telemetry.js';

const MANY = { size: 100 };
/** A context without a span. */
const NO_TRACE = 'root';

/**
 * Creates an API that notes what the monitor tells it, and a client with one connection.
 * @param {{ size?: number }} [options]
 */
function open(options) {
  const batch = new EventBatch(options);
  const fake = createFakeClient({ batch });
  const checkouts = new Checkouts({ now: fake.now, batch });
  checkouts.watch(fake.monitor);
  /** @type {any[]} */
  const spans = [];
  /** @type {Record<string, any>} */
  const values = {};
  /** @type {Set<Function>} */
  const callbacks = new Set();
  let active = NO_TRACE;
  /** @param {string} name */
  const instrument = (name) => {
    /** @param {number} value @param {Record<string, string>} attributes */
    const add = (value, attributes) => {
      values[name] = [...(values[name] ?? []), [value, ...Object.values(attributes)]];
    };
    return { name, add, record: add };
  };
  const api = /** @type {any} */ ({
    SpanStatusCode: { ERROR: 2 },
    context: { active: () => active },
    metrics: {
      getMeter: () => ({
        createCounter: instrument,
        createHistogram: instrument,
        createObservableUpDownCounter: instrument,
        addBatchObservableCallback: (/** @type {Function} */ callback) => callbacks.add(callback),
        removeBatchObservableCallback: (/** @type {Function} */ callback) => callbacks.delete(callback),
      }),
    },
    trace: {
      getSpan: (/** @type {string} */ context) => (context === NO_TRACE ? undefined : {}),
      getTracer: () => ({
        /** @param {string} name @param {any} given @param {string} parent */
        startSpan(name, { startTime, attributes }, parent) {
          const span = {
            setAttribute: (/** @type {string} */ key, /** @type {string} */ value) => {
              attributes[key] = value;
              return span;
            },
            setStatus() {},
            end: (/** @type {number} */ endTime) =>
              spans.push({ name, parent, tookMs: endTime - startTime, ...attributes }),
          };
          return span;
        },
      }),
    },
  });
  const telemetry = createTelemetry(api);
  telemetry.watch(fake.monitor);
  return {
    fake,
    spans,
    values,
    callbacks,
    telemetry,
    flush: () => batch.flush(),
    /** @param {string} parent @param {string} route @param {AbortSignal} [signal] */
    start(parent, route, signal) {
      active = parent;
      checkouts.run({ route, signal }, fake.startCheckOut);
      active = 'somebody else';
    },
    observe() {
      /** @type {Record<string, any>} */
      const observed = {};
      /** @param {{ name: string }} instrument @param {number} value @param {Record<string, string>} attributes */
      const observe = ({ name }, value, attributes) => {
        observed[[name, ...Object.values(attributes).slice(1)].join(' ')] = value;
      };
      for (const callback of callbacks) callback({ observe });
      return observed;
    },
  };
}

test('a wait of 1 ms and more has a span in the trace that its caller ran in, however late it is handled', () => {
  const { fake, spans, start, flush } = open(MANY);
  fake.open(1);
  start('slow request', '/slow');
  fake.checkOut(1, 0);
  start('fast request', '/fast');
  start(NO_TRACE, '/no-trace');
  fake.pass(40);
  for (const waitMs of [40, 40]) {
    fake.checkIn(1);
    fake.checkOut(1, waitMs);
  }
  fake.checkIn(1);
  flush();
  expect(spans).toEqual([
    {
      name: 'pool.acquire',
      parent: 'fast request',
      tookMs: 40,
      'db.client.connection.pool.name': 'a:1',
      'db.query.summary': undefined,
      'pool.wait_ms': 40,
      'pool.wait_cause': 'pool full',
      'pool.opening_ms': 0,
      'pool.behind.routes': ['/slow'],
      'pool.behind.operations': ['unknown'],
    },
  ]);
});

test('a wait for an opening, one that timed out, and one that was aborted say so', () => {
  const { fake, spans, start, values } = open();
  start('opens', '/first');
  fake.create(1);
  fake.pass(30);
  fake.ready(1);
  fake.checkOut(1, 30);
  start('is refused', '/second');
  fake.pass(50);
  fake.failCheckOut('timeout', 50);
  const abort = new AbortController();
  start('gives up', '/third', abort.signal);
  fake.pass(5);
  abort.abort();
  fake.checkIn(1);
  const wait = { 'pool.wait_cause': 'pool full', 'pool.behind.routes': ['/first'] };
  expect(spans).toMatchObject([
    { parent: 'is refused', tookMs: 50, 'error.type': 'timeout', ...wait },
    { parent: 'gives up', tookMs: 5, 'error.type': 'aborted', ...wait },
    { parent: 'opens', tookMs: 30, 'pool.wait_cause': 'opening', 'pool.opening_ms': 30 },
  ]);
  expect(values).toEqual({
    'db.client.connection.create_time': [[0.03, 'a:1']],
    'db.client.connection.wait_time': [[0.03, 'a:1']],
    'db.client.connection.use_time': [[0.055, 'a:1']],
    'db.client.connection.timeouts': [
      [0, 'a:1'],
      [1, 'a:1'],
    ],
  });
});

test('gauges are read when the SDK asks, until the telemetry is closed', () => {
  const { fake, observe, start, telemetry, callbacks, values } = open();
  fake.open(1);
  start('holds', '/slow');
  fake.checkOut(1, 0);
  start('waits', '/fast');
  expect(observe()).toEqual({
    'db.client.connection.count idle': 0,
    'db.client.connection.count used': 1,
    'db.client.connection.idle.max': 1,
    'db.client.connection.idle.min': 0,
    'db.client.connection.max': 1,
    'db.client.connection.pending_requests': 1,
  });
  telemetry.close();
  fake.checkIn(1);
  expect(callbacks.size).toBe(0);
  expect(values['db.client.connection.use_time']).toBeUndefined();
});
