import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

/** How long Node may take to open its inspector. A busy event loop does not matter: another thread opens it. */
const OPEN_MS = 5000;
const RETRY_MS = 50;
/** How long an answer may take. The app's event loop may be busy. */
const ANSWER_MS = 30_000;

/**
 * @param {number} port of an inspector on loopback
 * @param {AbortSignal} signal
 * @returns {Promise<string | null>} where its debugger can be reached; null if nothing listens there
 * @throws {Error} if something else listens there
 */
export async function findDebugger(port, signal) {
  const url = `http://127.0.0.1:${port}/json/list`;
  /** @type {Response} */
  let response;
  try {
    response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(OPEN_MS)]) });
  } catch {
    signal.throwIfAborted();
    return null;
  }
  const targets = await response.json().catch(() => null);
  const address = targets?.[0]?.webSocketDebuggerUrl;
  if (typeof address !== 'string') throw new Error(`Port ${port} of the inspector is taken by another program`);
  return address;
}

/**
 * @param {number} port
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 * @throws {Error} if it does not open in time
 */
export async function waitForDebugger(port, signal) {
  const address = await poll(() => findDebugger(port, signal), signal);
  if (address === null) throw new Error(`The process did not open its inspector on port ${port} within ${OPEN_MS / 1000} s`);
  return address;
}

/** Waits as long as for an open one. @param {number} port */
export async function waitUntilClosed(port) {
  const { signal } = new AbortController();
  await poll(async () => await findDebugger(port, signal) === null || null, signal);
}

/**
 * @template T
 * @param {() => Promise<T | null>} ask
 * @param {AbortSignal} signal
 * @returns {Promise<T | null>} the first answer, or null after a while
 */
async function poll(ask, signal) {
  const endsAtMs = performance.now() + OPEN_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== null || performance.now() > endsAtMs) return answer;
    await sleep(RETRY_MS, undefined, { signal });
  }
}

/**
 * A session with Node's inspector.
 *
 * @param {string} address of a debugger
 * @returns {Promise<{ evaluate: (expression: string) => Promise<any>, close: () => void }>} `evaluate` runs an expression in the
 *   process and returns what its promise resolves to; `close` says no goodbye
 */
export async function openSession(address) {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  await once(socket, 'open', { signal: AbortSignal.timeout(OPEN_MS) });
  let lastId = 0;

  return {
    async evaluate(expression) {
      const id = ++lastId;
      const answer = waitForAnswer(socket, id);
      socket.send(JSON.stringify({
        id, method: 'Runtime.evaluate', params: { expression, awaitPromise: true, returnByValue: true },
      }));
      const { result, error } = await answer;
      const problem = error?.message ?? result?.exceptionDetails?.exception?.description?.split('\n')[0] ?? result?.exceptionDetails?.text;
      if (problem) throw new Error(`The process refused: ${problem}`);
      return result.result.value;
    },
    close: () => socket.terminate(),
  };
}

/** @param {WebSocket} socket @param {number} id @returns {Promise<any>} */
async function waitForAnswer(socket, id) {
  const signal = AbortSignal.timeout(ANSWER_MS);
  for (;;) {
    const [data] = await Promise.race([
      once(socket, 'message', { signal }),
      once(socket, 'close', { signal }).then(() => {
        throw new Error('The process closed the connection');
      }),
    ]).catch((cause) => {
      throw signal.aborted ? new Error(`The process did not answer within ${ANSWER_MS / 1000} s`, { cause }) : cause;
    });
    const answer = JSON.parse(String(data));
    if (answer.id === id) return answer;
  }
}
