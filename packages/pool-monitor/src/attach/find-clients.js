import Module from 'node:module';
import net from 'node:net';
import { listClientsInHeap } from './heap-clients.js';
import { readStack } from './read-stack.js';
import { replaceMethod } from './replace-method.js';
import { watchModules } from './watch-modules.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Guard } from '../core/event-batch.js' */

/** The driver's file that opens a socket, or the functions in it where a bundler has renamed the file. */
const DRIVER_FRAME = /[\\/]cmap[\\/]connect\.js|\bmakeSocket\b|\bmakeConnection\b/;
const MAX_FRAMES = 12;
const DEFAULT_PORT = 27017;
/** Each stops the process for a moment. */
const MAX_SEARCHES = 3;
/** A client may be created after the first socket, such as one that only asks whether the server is there. */
const NONE_FOUND_MS = 3000;
/** Files of driver 4 to 7. */
const CLIENT_FILE = /[\\/]lib[\\/]mongo_client\.js$/;
const TOPOLOGY_FILE = /[\\/]lib[\\/]sdam[\\/]topology\.js$/;
/** A connected client calls one before each operation, the other at each heartbeat, usually every 10 s. */
const SIGNS_OF_LIFE = ['selectServer', 'serverUpdateHandler'];
/** The constructor calls it (driver 6 and 7), so the stack has the line that creates the client. */
const IN_CONSTRUCTOR = 'checkForNonGenuineHosts';

/**
 * Finds every MongoClient of the process, whichever copy of the driver it comes from, before it connects.
 *
 * The driver is CommonJS, so `import` and `require` both load it with `Module._load`, and one hook there sees the class
 * of every copy. Each client connects with its `connect` method, also when its first query connects it. A loader that
 * returns source for CommonJS bypasses `Module._load`, and so does a bundle. Then a socket opened by an unknown driver,
 * or to a port of MongoDB, reveals it, and the heap has the client.
 *
 * @param {object} listeners
 * @param {(client: MongoClient) => void} listeners.onCreated called in the constructor of a client, where the driver
 *   lets it
 * @param {(client: MongoClient) => void} listeners.onClient called before each connect, so possibly several times for
 *   one client
 * @param {() => void} listeners.onOld called when a client of driver 3 connects, or is all there is
 * @param {(port: number) => void} listeners.onNone called once if there are sockets to a port of MongoDB, but no client
 * @param {Guard} guard
 * @returns {{ search: () => boolean, close: () => void }} `search` finds clients that are already connected. It returns
 *   true if each will be found when it is used next, and false if the heap was searched, because no driver has a file
 *   of its own, or if there is only driver 3
 */
export function findClients({ onCreated, onClient, onOld, onNone }, guard) {
  /** Restores each class, by prototype. @type {Map<object, () => void>} */
  const restorers = new Map();
  let searches = 0;
  const loaded = { old: false, new: false };
  /** @type {NodeJS.Timeout | undefined} */
  let noneFound;

  /** @param {any} exports of a module */
  const checkExports = guard((exports) => {
    const { MongoClient } = Object(exports);
    // Driver 3 exports the class itself.
    const prototype = (MongoClient ?? exports)?.prototype;
    if (typeof prototype?.connect !== 'function') return;
    loaded[MongoClient ? 'new' : 'old'] = true;
    watchClass(prototype);
  });

  const checkClient = guard((/** @type {MongoClient} */ client) => (client.options ? onClient(client) : onOld()));

  /** @param {any} prototype of a MongoClient class */
  function watchClass(prototype) {
    if (restorers.has(prototype)) return;
    const isSeen = typeof prototype[IN_CONSTRUCTOR] === 'function';
    const created = isSeen ? callBefore(prototype, [IN_CONSTRUCTOR], guard(onCreated)) : () => {};
    const connects = callBefore(prototype, ['connect'], checkClient);
    restorers.set(prototype, () => [created, connects].forEach((restore) => restore()));
  }

  /** @param {object} prototype of a Topology class */
  function watchTopology(prototype) {
    if (!restorers.has(prototype))
      restorers.set(
        prototype,
        callBefore(
          prototype,
          SIGNS_OF_LIFE,
          guard(({ client }) => {
            if (client?.topology) onClient(client);
          }),
        ),
      );
  }

  const checkLoaded = guard(() => {
    for (const [file, { exports }] of Object.entries(/** @type {any} */ (Module)._cache)) {
      if (CLIENT_FILE.test(file)) checkExports(exports);
      if (TOPOLOGY_FILE.test(file) && exports.Topology) watchTopology(exports.Topology.prototype);
    }
  });

  const searchHeap = guard(() => {
    for (const client of listClientsInHeap()) {
      const prototype = Object.getPrototypeOf(client);
      if (Object.hasOwn(prototype, 'connect')) watchClass(prototype);
      if (client.topology) checkClient(client);
    }
  });

  const restoreLoad = watchModules((request, exports) => {
    if (request.endsWith('mongo_client')) checkExports(exports);
  });

  /** @param {number} port */
  function searchForUser(port) {
    searches += 1;
    if (searches <= MAX_SEARCHES) searchHeap();
    noneFound ??= setTimeout(() => {
      if (restorers.size === 0) guard(onNone)(port);
    }, NONE_FOUND_MS).unref();
  }

  // Also TLS sockets connect with this method.
  const restoreSocket = callBefore(
    net.Socket.prototype,
    ['connect'],
    guard((socket, [first, ...rest]) => {
      if (restorers.size > 0) return;
      const port = portOf(first, rest);
      if (isCalledByDriver()) searchHeap();
      else if (isMongoPort(port)) searchForUser(port);
    }),
  );

  return {
    search() {
      checkLoaded();
      if (loaded.old && !loaded.new) {
        guard(onOld)();
        return false;
      }
      if (restorers.size > 0) return true;
      searchHeap();
      return false;
    },
    close() {
      clearTimeout(noneFound);
      for (const restore of [restoreLoad, restoreSocket, ...restorers.values()]) restore();
      restorers.clear();
    },
  };
}

/**
 * Whether it is the usual port, or one of a MongoDB URL in the environment. The app may have put that there since it
 * started.
 * @param {number} port
 */
function isMongoPort(port) {
  if (port === DEFAULT_PORT) return true;
  return Object.values(process.env).some((value) => {
    if (!value?.startsWith('mongodb://')) return false;
    const [, hosts] = /^mongodb:\/\/(?:[^@/]*@)?([^/?]*)/.exec(value) ?? [];
    return hosts?.split(',').some((host) => host.endsWith(`:${port}`));
  });
}

/**
 * @param {any} first argument of `connect`: a port, options, or a list that Node itself made of them
 * @param {any[]} rest
 */
function portOf(first, rest) {
  if (Array.isArray(first)) return portOf(first[0], rest);
  return Number(Object(first).port ?? first);
}

function isCalledByDriver() {
  return DRIVER_FRAME.test(readStack(MAX_FRAMES));
}

/**
 * @param {any} prototype
 * @param {string[]} names of methods
 * @param {(object: any, args: IArguments) => void} onCall
 * @returns {() => void} ends it
 */
function callBefore(prototype, names, onCall) {
  const restorers = names.map((name) =>
    replaceMethod(
      prototype,
      name,
      (original) =>
        /** @this {unknown} */
        function method() {
          onCall(this, arguments);
          return Reflect.apply(original, this, arguments);
        },
    ),
  );
  return () => restorers.forEach((restore) => restore());
}
