import { replaceMethod } from './replace-method.js';

/** @import { Guard } from '../core/event-batch.js' */
/** @import { CheckoutKind, CheckoutPurpose } from '../core/checkout.js' */

/** @typedef {CheckoutPurpose & { opens: CheckoutKind | null }} KnownOperation opens: the kind of the cursor it opens */

const TRANSACTION_ENDS = ['commitTransaction', 'abortTransaction'];
/** Commands whose target is the name of a user or a role, not of a collection. */
const OF_PEOPLE = /user|role/i;
/** More than any app has. */
const MAX_OPERATIONS = 2000;
/** More than any app has, because each keeps a connection. */
const MAX_STREAMS = 10_000;

/**
 * Knows which operation starts a checkout. `Server.command` of the driver starts the checkout before it returns (driver
 * 4 to 7), so the operation at hand is the one that the checkout is for.
 */
export class Operations {
  #guard;
  /** Restores each class, by prototype. @type {Map<object, () => void>} */
  #restorers = new Map();
  /** Streams by cursor id. Driver 5 marks their getMore in no other way. @type {Map<string, CheckoutKind>} */
  #streams = new Map();
  /**
   * Operations by command and collection, because most checkouts need no new one.
   * @type {Map<string, Map<string, KnownOperation>>}
   */
  #known = new Map();
  #knownCount = 0;
  /** Numbers by the driver's object, of which each transaction has one. @type {WeakMap<object, number>} */
  #transactions = new WeakMap();
  #lastTransaction = 0;
  /** @type {KnownOperation | null} */
  #current = null;

  /** @param {Guard} guard */
  constructor(guard) {
    this.#guard = guard;
  }

  get current() {
    return this.#current;
  }

  /** Watches the operations of a client. Does nothing before the client has servers. @param {any} client */
  watch(client) {
    this.#guard(() => {
      const [server] = client.topology?.s?.servers?.values() ?? [];
      const prototype = server && Object.getPrototypeOf(server);
      if (typeof prototype?.command !== 'function' || this.#restorers.has(prototype)) return;
      this.#watchClass(prototype);
      // Those that are already open. Driver 5 does not list them.
      for (const cursor of client.s.activeCursors ?? [])
        if (cursor.constructor.name === 'ChangeStreamCursor') this.#remember('changeStream', cursor.id);
    })();
  }

  close() {
    for (const restore of this.#restorers.values()) restore();
    this.#restorers.clear();
  }

  /** @param {object} prototype of a Server class */
  #watchClass(prototype) {
    const operations = this;
    /** @param {Function} original */
    const wrap = (original) =>
      /** @this {unknown} @param {any} first @param {any} second @param {any} third @param {any} fourth */
      function command(first, second, third, fourth) {
        /** @type {KnownOperation | null} */
        let awaited = null;
        try {
          const operation = (operations.#current = operations.#describe(first, second, third));
          if (operation.opens || operation.transaction) awaited = operation;
          if (awaited && isCallback(fourth))
            fourth = listenTo(fourth, operations.#noteAnswer.bind(operations, awaited));
        } catch {
          // The checkout then has no operation.
        }
        try {
          const answer = original.call(this, first, second, third, fourth);
          if (awaited) operations.#awaitAnswer(awaited, answer);
          return answer;
        } finally {
          operations.#current = null;
        }
      };
    this.#restorers.set(prototype, replaceMethod(prototype, 'command', wrap));
  }

  /** @param {CheckoutKind} kind @param {any} id of a cursor */
  #remember(kind, id) {
    if (id !== undefined && this.#streams.size < MAX_STREAMS) this.#streams.set(String(id), kind);
  }

  /** @param {KnownOperation} operation @param {any} answer a promise, except from driver 5 and earlier */
  #awaitAnswer(operation, answer) {
    Promise.resolve(answer).then(
      (response) => this.#noteAnswer(operation, null, response),
      (error) => this.#noteAnswer(operation, error),
    );
  }

  /** @param {KnownOperation} operation @param {any} error @param {any} [response] */
  #noteAnswer(operation, error, response) {
    // Driver 6.5 and 6.6 answer with the server's document, later ones with an object that knows the id.
    if (operation.opens) this.#remember(operation.opens, response?.id ?? response?.cursor?.id);
    operation.errorCode = error?.code;
  }

  /**
   * @param {any} first the operation, or up to early driver 6 the namespace
   * @param {any} second in the latter case the command
   * @param {any} third its options
   */
  #describe(first, second, third) {
    const isOperation = typeof first?.commandName === 'string';
    const { options, session } = isOperation ? first : { options: third, session: third?.session };
    const document = isOperation ? first.command : second;
    // Later drivers keep a document only of what the app sends with `db.command`.
    const [name] = document ? Object.keys(document) : [first.commandName];
    const target = document ? (document.collection ?? document[name]) : findCollection(first);
    const cursorId = document ? document.getMore : first.cursorId;
    const known = this.#describeCommand(name, target, options, cursorId, (document ?? first).pipeline);
    return this.#addTransaction(known, name, session);
  }

  /** @param {KnownOperation} known @param {string} command @param {any} session @returns {KnownOperation} */
  #addTransaction(known, command, session) {
    // When a commit is sent again, the transaction is over.
    if (!session || !(session.inTransaction() || TRANSACTION_ENDS.includes(command))) return known;
    let transaction = this.#transactions.get(session.transaction);
    if (!transaction) this.#transactions.set(session.transaction, (transaction = ++this.#lastTransaction));
    return { ...known, transaction };
  }

  /**
   * @param {string} command
   * @param {unknown} target
   * @param {any} options
   * @param {any} cursorId
   * @param {any} pipeline
   * @returns {KnownOperation}
   */
  #describeCommand(command, target, options, cursorId, pipeline) {
    const hasCollection = typeof target === 'string' && target !== '$cmd' && !OF_PEOPLE.test(command);
    const usual = this.#nameOperation(command, hasCollection ? target : '');
    const tailable = options?.tailable ? 'tailableCursor' : null;
    if (command !== 'getMore') {
      const opens = pipeline?.[0]?.$changeStream ? 'changeStream' : tailable;
      return opens ? { ...usual, opens } : usual;
    }
    const kind = this.#streams.get(String(cursorId)) ?? tailable;
    return kind ? { ...usual, kind } : usual;
  }

  /** @param {string} command @param {string} collection empty if it has none @returns {KnownOperation} */
  #nameOperation(command, collection) {
    let ofCommand = this.#known.get(command);
    if (!ofCommand) this.#known.set(command, (ofCommand = new Map()));
    let found = ofCommand.get(collection);
    if (!found) {
      found = { operation: collection ? `${command} ${collection}` : command, kind: null, opens: null };
      this.#knownCount += 1;
      if (this.#knownCount <= MAX_OPERATIONS) ofCommand.set(collection, found);
    }
    return found;
  }
}

/**
 * Finds the collection of an operation of driver 6.19 or later. Each class keeps it in another place, and in most of
 * them the namespace is the one that commands are sent to, `$cmd`.
 *
 * @param {any} operation
 */
function findCollection({ target, collection, collectionName, collectionNamespace, name, ns }) {
  return (
    target ?? collection?.collectionName ?? collectionName ?? collectionNamespace?.collection ?? name ?? ns?.collection
  );
}

/**
 * Tells a callback, which drivers 4 to 6.3 pass, from the class of the answer, which drivers 6.6 to 6.18 pass in its
 * place. Only the prototype of a class can't be replaced.
 *
 * @param {unknown} value
 * @returns {value is Function}
 */
function isCallback(value) {
  return typeof value === 'function' && Object.getOwnPropertyDescriptor(value, 'prototype')?.writable !== false;
}

/** @param {Function} callback @param {(error: unknown, response: unknown) => void} note */
function listenTo(callback, note) {
  return (/** @type {any[]} */ ...results) => {
    note(results[0], results[1]);
    return callback(...results);
  };
}
