import { once } from 'node:events';
import WebSocket from 'ws';
import { poll } from '../base/poll.js';

/** How long Node may take to open its inspector. A busy event loop does not matter: another thread opens it. */
const OPEN_MS = 5000;
const EVERY_MS = 50;
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
    response = await fetch(url, { redirect: 'error', signal: AbortSignal.any([signal, AbortSignal.timeout(OPEN_MS)]) });
  } catch {
    signal.throwIfAborted();
    return null;
  }
  const targets = await response.json().catch(() => null);
  const address = targets?.[0]?.webSocketDebuggerUrl;
  if (!URL.canParse(address)) throw new Error(`Port ${port} of the inspector is taken by another program`);
  // Such a program could name any server.
  return `ws://127.0.0.1:${port}${new URL(address).pathname}`;
}

/**
 * @param {number} port
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 * @throws {Error} if it does not open in time
 */
export async function waitForDebugger(port, signal) {
  const find = async () => (await findDebugger(port, signal)) ?? undefined;
  const address = await poll(find, { everyMs: EVERY_MS, timeoutMs: OPEN_MS, signal });
  if (address === undefined)
    throw new Error(`The process did not open its inspector on port ${port} within ${OPEN_MS / 1000} s`);
  return address;
}

/** Waits as long as for an open one. @param {number} port */
export async function waitUntilClosed(port) {
  const { signal } = new AbortController();
  const isClosed = async () => (await findDebugger(port, signal)) === null || undefined;
  await poll(isClosed, { everyMs: EVERY_MS, timeoutMs: OPEN_MS });
}

/**
 * @param {string} address of a debugger
 * @returns {Promise<InspectorSession>}
 */
export async function openSession(address) {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  await once(socket, 'open', { signal: AbortSignal.timeout(OPEN_MS) });
  return new InspectorSession(socket);
}

/** A session with Node's inspector. */
class InspectorSession {
  #socket;
  #lastId = 0;

  /** @param {WebSocket} socket that is open */
  constructor(socket) {
    this.#socket = socket;
  }

  /**
   * Runs an expression in the process. It can use `require`, as on the console of a debugger.
   * @param {string} expression
   * @returns {Promise<any>} what its promise resolves to
   */
  async evaluate(expression) {
    const id = ++this.#lastId;
    const answer = waitForAnswer(this.#socket, id);
    const params = { expression, awaitPromise: true, returnByValue: true, includeCommandLineAPI: true };
    this.#socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params }));
    const { result, error } = await answer;
    const problem =
      error?.message ??
      result?.exceptionDetails?.exception?.description?.split('\n')[0] ??
      result?.exceptionDetails?.text;
    if (problem) throw new Error(`The process refused: ${problem}`);
    return result.result.value;
  }

  /** Ends the session without a closing handshake. */
  close() {
    this.#socket.terminate();
  }
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
