import { groupHolders } from '../core/holders.js';
import {
  DURATION_BOUNDS,
  nameOfPool,
  POOL_DURATIONS,
  POOL_GAUGES,
  POOL_TIMEOUTS,
  readPoolGauge,
} from '../core/pool-instruments.js';

/** @import { Attributes, BatchObservableResult, Context, Counter, Histogram } from '@opentelemetry/api' */
/** @import { Checkout } from '../core/checkout.js' */
/** @import { Guard } from '../core/event-batch.js' */
/** @import { PoolMonitor } from '../core/monitor.js' */
/** @import { PoolEvent } from '../core/pool-events.js' */

const SCOPE = 'mongodb-pool-monitor';
const PREFIX = 'db.client.connection.';
const POOL = `${PREFIX}pool.name`;
const STATE = `${PREFIX}state`;
const MS_PER_S = 1000;
/** A shorter wait gets no span: there is one for nearly every checkout, and none explains a slow request. */
const MIN_WAIT_MS = 1;
const UNKNOWN = 'unknown';

/** @typedef {{ durations: Map<string, Histogram>, timeouts: Counter, close: () => void }} PoolInstruments */

/**
 * Gives the app's OpenTelemetry SDK the `db.client.connection.*` metrics of pools, and a span `pool.acquire` for each
 * checkout that waited at least 1 ms inside a trace. Exporters, sampling and views are the SDK's.
 *
 * @param {typeof import('@opentelemetry/api')} api the copy that the app uses. Register the SDK before the first client
 *   connects
 * @param {{ guard?: Guard }} [options] guard: by default, errors of the SDK get out
 */
export function createTelemetry(api, options) {
  return new Telemetry(api, options);
}

class Telemetry {
  #api;
  #guard;
  /** @type {Map<PoolMonitor, () => void>} */
  #leaving = new Map();
  /** Created late, because a meter that is made before the SDK is registered never measures. */
  #instruments = /** @type {PoolInstruments | undefined} */ (undefined);

  /** @param {typeof import('@opentelemetry/api')} api @param {{ guard?: Guard }} [options] */
  constructor(api, { guard = (work) => work } = {}) {
    this.#api = api;
    this.#guard = guard;
  }

  /**
   * Measures a client's pools from now on. With a Checkouts that watches the same monitor, spans name what they waited
   * behind.
   *
   * @param {PoolMonitor} monitor
   * @returns {() => void} ends that; call it when the client is closed for good
   * @throws {Error} if it is measured already
   */
  watch(monitor) {
    /** Kept by server, so that an event leaves no garbage. @type {Map<string, Attributes>} */
    const attributes = new Map();
    let { name } = monitor;
    const { context } = this.#api;
    const unsubscribe = monitor.subscribe(
      this.#guard((/** @type {PoolEvent} */ event) => {
        if (name !== monitor.name) attributes.clear();
        name = monitor.name;
        let known = attributes.get(event.server);
        if (!known) attributes.set(event.server, (known = { [POOL]: nameOfPool(monitor, event.server) }));
        this.#measure(event, known);
        if (event.checkout) this.#addSpan(event, event.checkout, known);
      }),
      () => context.active(),
    );
    const leave = () => {
      if (this.#leaving.delete(monitor)) unsubscribe();
    };
    this.#leaving.set(monitor, leave);
    return leave;
  }

  /** Ends all. */
  close() {
    for (const leave of this.#leaving.values()) leave();
    this.#instruments?.close();
  }

  /** @param {PoolEvent} event @param {Attributes} attributes */
  #measure({ type, reason, durationMs }, attributes) {
    this.#instruments ??= this.#createInstruments();
    const { durations, timeouts } = this.#instruments;
    durations.get(type)?.record(durationMs / MS_PER_S, attributes);
    // Backends only see the first increase of a counter if they saw it at 0.
    if (type === 'connectionReady') timeouts.add(0, attributes);
    if (type === 'checkOutFailed' && reason === 'timeout') timeouts.add(1, attributes);
  }

  /** @returns {PoolInstruments} */
  #createInstruments() {
    const meter = this.#api.metrics.getMeter(SCOPE);
    const gauges = POOL_GAUGES.map(([name, description, unit, values]) => ({
      observable: meter.createObservableUpDownCounter(PREFIX + name, { description, unit }),
      values,
    }));
    const observables = gauges.map(({ observable }) => observable);
    const observe = this.#guard((/** @type {BatchObservableResult} */ result) => {
      for (const { observable, values } of gauges)
        for (const [gauge, state] of values)
          for (const [pool, value] of readPoolGauge(this.#leaving.keys(), gauge))
            result.observe(observable, value, { [POOL]: pool, ...(state && { [STATE]: state }) });
    });
    /** @param {BatchObservableResult} result */
    const callback = (result) => {
      observe(result);
    };
    meter.addBatchObservableCallback(callback, observables);
    const advice = { explicitBucketBoundaries: DURATION_BOUNDS };
    const [timeouts, description] = POOL_TIMEOUTS;
    return {
      durations: new Map(
        Object.entries(POOL_DURATIONS).map(([type, [name, about]]) => [
          type,
          meter.createHistogram(PREFIX + name, { description: about, unit: 's', advice }),
        ]),
      ),
      timeouts: meter.createCounter(PREFIX + timeouts, { description, unit: '{timeout}' }),
      close: () => meter.removeBatchObservableCallback(callback, observables),
    };
  }

  /**
   * Who waited is only certain when the checkout ends, so its span is written then, with the times of its wait.
   *
   * @param {PoolEvent} event
   * @param {Checkout} checkout
   * @param {Attributes} attributes
   */
  #addSpan({ type, atMs, reason }, checkout, attributes) {
    const error = findError(type, reason, checkout);
    if (type !== 'checkedIn' && error === null) return;
    const parent = /** @type {Context | null} */ (checkout.caller);
    // A checkout that was aborted may still get its connection.
    checkout.caller = null;
    const startMs = checkout.checkOutStartedAtMs;
    const endMs = error === null ? checkout.checkedOutAtMs : atMs;
    const { trace, SpanStatusCode } = this.#api;
    if (!(endMs - startMs >= MIN_WAIT_MS) || !parent || !trace.getSpan(parent)) return;
    // The SDK knows from their size that the times are those of performance.now().
    const span = trace
      .getTracer(SCOPE)
      .startSpan(
        'pool.acquire',
        { startTime: startMs, attributes: { ...attributes, ...describeWait(checkout, endMs - startMs) } },
        parent,
      );
    if (error !== null) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
    span.end(endMs);
  }
}

/**
 * @param {PoolEvent['type']} type
 * @param {string | null} reason
 * @param {Checkout} checkout
 * @returns {string | null} why a checkout ended without a connection; null if it did not, or if that is only inferred
 */
function findError(type, reason, { context }) {
  if (type === 'checkOutFailed') return reason;
  return type === 'checkOutAborted' && context?.signal?.aborted ? 'aborted' : null;
}

/** @param {Checkout} checkout @param {number} waitMs @returns {Attributes} */
function describeWait({ heldBy, openingMs, purpose }, waitMs) {
  const behind = heldBy.length > 0 ? groupHolders(heldBy) : undefined;
  const cause = openingMs > waitMs / 2 ? 'opening' : behind && 'pool full';
  return {
    'db.query.summary': purpose?.operation ?? undefined,
    'pool.wait_ms': waitMs,
    'pool.wait_cause': cause,
    'pool.opening_ms': openingMs,
    'pool.behind.routes': behind?.map(({ route }) => route ?? UNKNOWN),
    'pool.behind.operations': behind?.map(({ operation }) => operation ?? UNKNOWN),
  };
}
