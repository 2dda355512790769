import { replaceMethod } from './replace-method.js';

/** @import { Guard } from './guard.js' */
/** @import { CheckoutKind } from '../checkout.js' */

/**
 * What a checkout is for.
 * @typedef {object} Operation
 * @property {string} operation command and collection, such as `find users`
 * @property {CheckoutKind | null} kind
 * @property {CheckoutKind | null} opens kind of the cursor that it opens
 */

/** More than any app has. */
const MAX_OPERATIONS = 2000;
/** Each keeps a connection, so no app has as many. */
const MAX_STREAMS = 10_000;

/**
 * Knows which operation starts a checkout. `Server.command` of the driver starts it before it returns (driver 4 to 7), so the
 * operation at hand is the one of the checkout that starts.
 *
 * @param {Guard} guard
 */
export function watchOperations(guard) {
  /** @type {Map<object, () => void>} by prototype */
  const undo = new Map();
  /** By id of the cursor. Driver 5 marks its getMore in no other way. @type {Map<string, CheckoutKind>} */
  const streams = new Map();
  /** By command and collection: most checkouts need no new one. @type {Map<string, Map<string, Operation>>} */
  const known = new Map();
  let knownCount = 0;
  /** @type {Operation | null} */
  let current = null;

  /** @param {CheckoutKind} kind @param {any} id of a cursor */
  function remember(kind, id) {
    if (id !== undefined && streams.size < MAX_STREAMS) streams.set(String(id), kind);
  }

  /**
   * @param {any} first the operation, or up to early driver 6 the namespace
   * @param {any} second in the latter case the command
   * @param {any} third its options
   */
  function describe(first, second, third) {
    if (typeof first?.commandName === 'string') {
      const { commandName, ns, target, options, cursorId, pipeline } = first;
      return describeCommand(commandName, target ?? ns?.collection, options, cursorId, pipeline);
    }
    const [commandName] = Object.keys(second);
    return describeCommand(commandName, second.collection ?? second[commandName], third, second.getMore, second.pipeline);
  }

  /** @param {string} command @param {unknown} target @param {any} options @param {any} cursorId @param {any} pipeline @returns {Operation} */
  function describeCommand(command, target, options, cursorId, pipeline) {
    const usual = nameOperation(command, typeof target === 'string' && target !== '$cmd' ? target : '');
    const tailable = options?.tailable ? 'tailableCursor' : null;
    if (command !== 'getMore') {
      const opens = pipeline?.[0]?.$changeStream ? 'changeStream' : tailable;
      return opens ? { ...usual, opens } : usual;
    }
    const kind = streams.get(String(cursorId)) ?? tailable;
    return kind ? { ...usual, kind } : usual;
  }

  /** @param {string} command @param {string} collection empty if it has none @returns {Operation} */
  function nameOperation(command, collection) {
    let ofCommand = known.get(command);
    if (!ofCommand) known.set(command, ofCommand = new Map());
    let found = ofCommand.get(collection);
    if (!found) {
      found = { operation: collection ? `${command} ${collection}` : command, kind: null, opens: null };
      knownCount += 1;
      if (knownCount <= MAX_OPERATIONS) ofCommand.set(collection, found);
    }
    return found;
  }

  /** @param {object} prototype of a Server class */
  function watchClass(prototype) {
    undo.set(prototype, replaceMethod(prototype, 'command', (original) => (
      /** @this {unknown} @param {any} first @param {any} second @param {any} third @param {any} callback of driver 5 */
      function command(first, second, third, callback) {
        let opens = null;
        try {
          current = describe(first, second, third);
          ({ opens } = current);
          if (opens && typeof callback === 'function') callback = listenTo(callback, remember.bind(null, opens));
        } catch {
          // The checkout then has no operation.
        }
        try {
          const answer = original.call(this, first, second, third, callback);
          if (opens) Promise.resolve(answer).then((response) => remember(opens, response?.id), () => {});
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
      // Those already open. Driver 5 does not list them.
      for (const cursor of client.s.activeCursors ?? []) if (cursor.constructor.name === 'ChangeStreamCursor') remember('changeStream', cursor.id);
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
