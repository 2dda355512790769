import { replaceMethod } from './replace-method.js';

/** @import { Guard } from './guard.js' */

/** @import { CheckoutKind } from '../checkout.js' */

/**
 * What a checkout is for.
 * @typedef {object} Operation
 * @property {string} operation command and collection, such as `find users`
 * @property {CheckoutKind | null} kind
 */

/** Change streams that are remembered. Each open one keeps a connection, so no app has as many. */
const MAX_STREAMS = 10_000;

/**
 * Knows which operation starts a checkout. `Server.command` of the driver starts it before it returns (driver 5 to 7), so the
 * operation at hand is the one of the checkout that starts.
 *
 * @param {Guard} guard
 */
export function watchOperations(guard) {
  /** @type {Map<object, () => void>} by prototype */
  const undo = new Map();
  /** Ids of the cursors of change streams. Driver 5 marks their getMore in no other way. @type {Set<string>} */
  const streams = new Set();
  /** @type {Operation | null} */
  let current = null;

  /** @param {any} id of a cursor */
  function remember(id) {
    if (id !== undefined && streams.size < MAX_STREAMS) streams.add(String(id));
  }

  /**
   * @param {any} first the operation, or in driver 5 and early 6 the namespace
   * @param {any} second the command, in the latter case
   * @param {any} [third] its options
   */
  function describe(first, second, third) {
    if (typeof first?.commandName === 'string') {
      const { commandName, ns, target, options, cursorId, pipeline } = first;
      return createOperation(commandName, target ?? ns?.collection, { options, cursorId, pipeline });
    }
    const [commandName] = Object.keys(second);
    const target = second.collection ?? second[commandName];
    return createOperation(commandName, target, { options: third, cursorId: second.getMore, pipeline: second.pipeline });
  }

  /** @param {string} command @param {unknown} collection @param {any} details */
  function createOperation(command, collection, { options, cursorId, pipeline }) {
    return {
      operation: typeof collection === 'string' && collection !== '$cmd' ? `${command} ${collection}` : command,
      kind: command === 'getMore' ? kindOfCursor(cursorId, options) : null,
      opensStream: Boolean(pipeline?.[0]?.$changeStream),
    };
  }

  /** @param {unknown} id @param {any} options @returns {Operation['kind']} */
  function kindOfCursor(id, options) {
    if (streams.has(String(id))) return 'changeStream';
    return options?.tailable ? 'tailableCursor' : null;
  }

  /** @param {object} prototype of a Server class */
  function watchClass(prototype) {
    undo.set(prototype, replaceMethod(prototype, 'command', (original) => (
      /** @this {unknown} @param {...any} args */
      function command(...args) {
        let opensStream = false;
        try {
          const described = describe(args[0], args[1], args[2]);
          current = described;
          ({ opensStream } = described);
          if (opensStream && typeof args[3] === 'function') args[3] = listenTo(args[3], remember);
        } catch {
          // The checkout then has no operation.
        }
        try {
          const answer = Reflect.apply(original, this, args);
          if (opensStream) Promise.resolve(answer).then((response) => remember(response?.id), () => {});
          return answer;
        } finally {
          current = null;
        }
      })));
  }

  return {
    /** @returns {Operation | null} */
    current: () => current,
    /** Does nothing before the client has servers. @param {MongoClient} client */
    watch: guard((/** @type {any} */ client) => {
      const [server] = client.topology?.s?.servers?.values() ?? [];
      const prototype = server && Object.getPrototypeOf(server);
      if (typeof prototype?.command !== 'function' || undo.has(prototype)) return;
      watchClass(prototype);
      // Those that are open already. Driver 5 does not list them.
      for (const cursor of client.s.activeCursors ?? []) if (cursor.constructor.name === 'ChangeStreamCursor') remember(cursor.id);
    }),
    close() {
      for (const each of undo.values()) each();
      undo.clear();
    },
  };
}

/** @param {Function} callback of driver 5 @param {(id: unknown) => void} remember */
function listenTo(callback, remember) {
  return (/** @type {any[]} */ ...results) => {
    remember(results[1]?.cursor?.id);
    return callback(...results);
  };
}
