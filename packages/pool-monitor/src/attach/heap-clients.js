import { EventEmitter } from 'node:events';
import { askInspector } from './ask-inspector.js';

/** @import { MongoClient } from 'mongodb' */

const CHANNEL = Symbol.for('mongodb-pool-monitor.clients');

/**
 * Goes to the inspector as text. A minifier changes the name of the class, but not those of methods.
 * @param {any} each
 */
function isLikeClient(each) {
  if (each.constructor?.name === 'MongoClient') return true;
  if (!Object.hasOwn(each, 's')) return false;
  return ['connect', 'db', 'startSession'].every((method) => typeof each[method] === 'function');
}

/**
 * Lists every MongoClient in the heap, whichever copy of the driver it comes from. It forces a garbage collection,
 * which stops the process for 0.1 to 0.8 s (measured on a small process).
 *
 * @returns {(MongoClient & { topology?: object })[]}
 */
export function listClientsInHeap() {
  /** @type {any[]} */
  const found = [];
  const shared = /** @type {any} */ (globalThis);
  shared[CHANNEL] = { prototype: EventEmitter.prototype, found };
  try {
    askInspector((ask) => {
      const name = 'Symbol.for("mongodb-pool-monitor.clients")';
      const {
        result: { objectId: prototypeObjectId },
      } = ask('Runtime.evaluate', { expression: `globalThis[${name}].prototype` });
      const {
        objects: { objectId },
      } = ask('Runtime.queryObjects', { prototypeObjectId, objectGroup: 'clients' });
      ask('Runtime.callFunctionOn', {
        objectId,
        functionDeclaration: `function () {
        for (const each of this) if ((${isLikeClient})(each)) globalThis[${name}].found.push(each);
      }`,
      });
      ask('Runtime.releaseObjectGroup', { objectGroup: 'clients' });
    });
  } finally {
    delete shared[CHANNEL];
  }
  return found.filter(
    (client) =>
      typeof client.connect === 'function' &&
      client.s?.options &&
      client !== Object.getPrototypeOf(client).constructor.prototype,
  );
}
