import Module from 'node:module';
import net from 'node:net';
import { listClientsInHeap } from './heap-clients.js';
import { replaceMethod } from './replace-method.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Guard } from './guard.js' */

/** The driver's file that opens a socket, or the functions in it where a bundler has renamed the file. */
const DRIVER_FRAME = /[\\/]cmap[\\/]connect\.js|\bmakeSocket\b|\bmakeConnection\b/;
const MAX_FRAMES = 12;

/**
 * Finds every MongoClient of the process, whichever copy of the driver it comes from, before it connects.
 *
 * The driver is CommonJS: `import` and `require` both load it with `Module._load`, so one hook there sees the class of every
 * copy. Each client connects with its `connect` method, also when its first query connects it. A loader that returns source
 * for CommonJS bypasses `Module._load`. Then a socket of an unknown driver gives it away, and the heap has the client.
 *
 * @param {(client: MongoClient) => void} onClient called before each connect, so several times for one client
 * @param {Guard} guard
 * @returns {{ search: () => void, close: () => void }} `search` looks for clients in the heap, which stops the process for a
 *   moment
 */
export function findClients(onClient, guard) {
  /** @type {Map<object, () => void>} by prototype */
  const undo = new Map();

  /** @param {any} exports of a module */
  const look = guard((exports) => {
    const prototype = Object(exports).MongoClient?.prototype;
    if (typeof prototype?.connect === 'function') watchClass(prototype);
  });

  /** @param {object} prototype of a MongoClient class */
  function watchClass(prototype) {
    if (undo.has(prototype)) return;
    const tell = guard(onClient);
    undo.set(prototype, replaceMethod(prototype, 'connect', (original) => (
      /** @this {MongoClient} */
      function connect() {
        tell(this);
        return Reflect.apply(original, this, arguments);
      })));
  }

  const search = guard(() => {
    for (const client of listClientsInHeap()) {
      const prototype = Object.getPrototypeOf(client);
      if (Object.hasOwn(prototype, 'connect')) watchClass(prototype);
      if (client.topology) onClient(client);
    }
  });

  const undoLoad = replaceMethod(Module, '_load', (original) => (
    /** @this {unknown} @param {unknown} request */
    function load(request) {
      const exports = Reflect.apply(original, this, arguments);
      if (typeof request === 'string' && request.endsWith('mongo_client')) look(exports);
      return exports;
    }));

  const lookAtSocket = guard(() => {
    if (undo.size === 0 && isCalledByDriver()) search();
  });
  // Also TLS sockets connect with this method.
  const undoSocket = replaceMethod(net.Socket.prototype, 'connect', (original) => (
    /** @this {unknown} */
    function connect() {
      lookAtSocket();
      return Reflect.apply(original, this, arguments);
    }));

  return {
    search,
    close() {
      for (const each of [undoLoad, undoSocket, ...undo.values()]) each();
      undo.clear();
    },
  };
}

function isCalledByDriver() {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return DRIVER_FRAME.test(String(stack));
}
