import { startEmbeddedMongo } from '../../src/mongo/embedded.js';

/** @import { PartContext } from '../parts/run-parts.js' */

/**
 * Starts an embedded MongoDB for a comparison, and stops it and all contenders when that ends.
 *
 * @template T
 * @param {PartContext} context
 * @param {(mongoUrl: string, keep: <C extends { stop: () => Promise<unknown> }>(starting: Promise<C>) => Promise<C>) => Promise<T>} compare
 * @returns {Promise<T>}
 */
export async function withMongo({ settings, say, signal }, compare) {
  const mongo = await startEmbeddedMongo({ ...settings, report: say, signal });
  /** @type {{ stop: () => Promise<unknown> }[]} */
  const contenders = [];
  try {
    return await compare(mongo.url, async (starting) => {
      const contender = await starting;
      contenders.push(contender);
      return contender;
    });
  } finally {
    await Promise.allSettled(contenders.map(({ stop }) => stop()));
    await mongo.stop();
  }
}
