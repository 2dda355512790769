import { readEvents } from '../universal/read-events.js';

/** @import { CheckoutRecord, EventRecord, OpenCheckout, RequestRecord } from 'mongodb-pool-monitor' */
/** @import { Second } from '../universal/feed-shapes.js' */

const TIMEOUT_MS = 5000;

/** @typedef {import('./live-source.js').ServerLoad} ServerLoad */

/**
 * @template T
 * @typedef {{ lastId: number, forgotten: number } & T} Records lastId: to ask after next time; forgotten: how many the
 *   app no longer had
 */

/**
 * Sends a request and reads its answer. Errors name the URL, and say what went wrong on the way.
 *
 * @template T
 * @param {string | URL} url
 * @param {(response: Response) => Promise<T>} read
 * @param {RequestInit & { timeoutMs?: number }} [options] timeoutMs: for the whole answer
 * @returns {Promise<T>}
 * @throws the reason of `options.signal`, if that was aborted
 */
export async function ask(url, read, { timeoutMs = TIMEOUT_MS, signal, ...init } = {}) {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    return await read(await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, deadline]) : deadline }));
  } catch (error) {
    signal?.throwIfAborted();
    throw explain(error, url, init.method, deadline.aborted ? timeoutMs : undefined);
  }
}

/** Asks a running app for what its live view knows. Runs in Node.js and in a browser. */
export class PoolClient {
  #url;
  #init;
  #timeoutMs;

  /**
   * @param {string} url of the app
   * @param {{ headers?: Record<string, string>, timeoutMs?: number, redirect?: RequestRedirect }} [options] timeoutMs:
   *   for each answer; redirect: by default an error, because it could lead to any server
   */
  constructor(url, { headers = {}, timeoutMs = TIMEOUT_MS, redirect = 'error' } = {}) {
    this.#url = url;
    this.#init = { headers, redirect };
    this.#timeoutMs = timeoutMs;
  }

  /** `GET /pool`: the gauges, and what the app adds. @param {AbortSignal} [signal] @returns {Promise<any>} an object */
  snapshot(signal) {
    return this.#get('/pool', signal);
  }

  /**
   * `GET /pool/checkouts`: those that ended after that one.
   * @param {number} id
   * @param {AbortSignal} [signal]
   * @returns {Promise<Records<{ checkouts: CheckoutRecord[] }>>}
   */
  checkoutsSince(id, signal) {
    return this.#getRecords('checkouts', id, signal);
  }

  /**
   * `GET /pool/open`: the checkouts that have not ended. An older monitor does not list them.
   * @param {AbortSignal} [signal]
   * @returns {Promise<{ checkouts: OpenCheckout[] }>}
   */
  openCheckouts(signal) {
    return this.#get('/pool/open', signal);
  }

  /**
   * `GET /pool/requests`: those that ended after that one.
   * @param {number} id
   * @param {AbortSignal} [signal]
   * @returns {Promise<Records<{ requests: RequestRecord[] }>>}
   */
  requestsSince(id, signal) {
    return this.#getRecords('requests', id, signal);
  }

  /**
   * `GET /pool/connections`: what happened to connections and pools after that event.
   * @param {number} id
   * @param {AbortSignal} [signal]
   * @returns {Promise<Records<{ connections: EventRecord[] }>>}
   */
  connectionsSince(id, signal) {
    return this.#getRecords('connections', id, signal);
  }

  /**
   * `GET /pool/seconds`: a summary of each second after that one, of the last two minutes.
   * @param {number} id
   * @param {AbortSignal} [signal]
   * @returns {Promise<Records<{ seconds: Second[] }>>}
   */
  secondsSince(id, signal) {
    return this.#getRecords('seconds', id, signal);
  }

  /** `GET /pool/server`: not every app has it. @param {AbortSignal} [signal] @returns {Promise<ServerLoad>} */
  serverLoad(signal) {
    return this.#get('/pool/server', signal);
  }

  /**
   * `GET /pool/trace`: the last minute as a trace; empty without a checkout.
   * @param {AbortSignal} [signal]
   * @returns {Promise<string>}
   */
  recentTrace(signal) {
    return this.#getText('/pool/trace', signal);
  }

  /** `GET /metrics`, in Prometheus' text format. @param {AbortSignal} [signal] @returns {Promise<string>} */
  metrics(signal) {
    return this.#getText('/metrics', signal);
  }

  /**
   * `GET /processes`: only the page of `pool-lab watch` has it.
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  processes(signal) {
    return this.#get('/processes', signal);
  }

  /**
   * `GET /pool/events`: the data of each event of that name, until the app or the caller ends the stream.
   * @param {string} name such as `pool`, five times a second, or `second`
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<any, void>}
   */
  async *events(name, signal) {
    const url = new URL('/pool/events', this.#url);
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), this.#timeoutMs);
    try {
      const until = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      const response = await fetch(url, { ...this.#init, signal: until });
      // The stream itself has no deadline.
      clearTimeout(timer);
      await checkStatus(response, url);
      const body = /** @type {ReadableStream<Uint8Array>} */ (response.body);
      for await (const event of readEvents(body)) if (event.name === name) yield event.data;
    } catch (error) {
      signal?.throwIfAborted();
      throw explain(error, url, 'GET', stop.signal.aborted ? this.#timeoutMs : undefined);
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  /**
   * @param {'checkouts' | 'requests' | 'connections' | 'seconds'} name
   * @param {number} id
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async #getRecords(name, id, signal) {
    const answer = await this.#get(`/pool/${name}?after=${id}`, signal);
    if (!Array.isArray(answer[name]) || ![answer.lastId, answer.forgotten].every(Number.isInteger))
      throw new AnswerError(new URL(`/pool/${name}`, this.#url), 'GET', `did not answer with a list of ${name}`);
    return answer;
  }

  /** @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
  async #get(path, signal) {
    const body = parseJson(await this.#getText(path, signal, { Accept: 'application/json', ...this.#init.headers }));
    if (typeof body !== 'object' || body === null)
      throw new AnswerError(new URL(path, this.#url), 'GET', 'did not answer with a JSON object');
    return body;
  }

  /**
   * @param {string} path
   * @param {AbortSignal} [signal]
   * @param {Record<string, string>} [headers]
   * @returns {Promise<string>}
   */
  #getText(path, signal, headers = this.#init.headers) {
    const url = new URL(path, this.#url);
    return ask(
      url,
      async (response) => {
        await checkStatus(response, url);
        return response.text();
      },
      { ...this.#init, headers, signal, timeoutMs: this.#timeoutMs },
    );
  }
}

/** Names the request, but no user and no password. */
class AnswerError extends Error {
  /**
   * @param {string | URL} url
   * @param {string} method
   * @param {string} problem what is wrong with the answer, or why there is none
   * @param {{ cause: unknown }} [options] cause: where there is no answer
   */
  constructor(url, method, problem, options) {
    const { origin, pathname, search } = new URL(url);
    const request = `${method} ${pathname}${search}`;
    super(options ? `${origin} does not answer ${request} (${problem})` : `${origin}: ${request} ${problem}`, options);
  }
}

/** The app's problem responses are those of RFC 9457. @param {Response} response @param {URL} url */
async function checkStatus(response, url) {
  if (response.ok) return;
  const { title, detail } = Object(parseJson(await response.text()));
  const words = [title, detail].filter((each) => typeof each === 'string' && each !== '').join(': ');
  throw new AnswerError(url, 'GET', `answered ${response.status}${words && `: ${words}`}`);
}

/**
 * fetch says little of a failure. What happened is in its cause.
 * @param {unknown} error
 * @param {string | URL} url
 * @param {string} [method]
 * @param {number} [timeoutMs] that has passed
 */
function explain(error, url, method = 'GET', timeoutMs) {
  if (error instanceof AnswerError) return error;
  const { message, cause } = /** @type {Error} */ (error);
  // fetch quotes a URL that it refuses, with its password.
  const reason = (Object(cause).message || message).replaceAll(/\/\/[^/\s]*@/g, '//');
  return new AnswerError(url, method, timeoutMs ? `waited ${timeoutMs / 1000} s` : reason, { cause: error });
}

/** @param {string} text @returns {unknown} undefined if it is not JSON */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
