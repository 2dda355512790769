import { connectClient, createClient } from '../mongo/client.js';

/** @import { TopologyDescription } from 'mongodb' */

/**
 * Watch a MongoDB while it is measured, over connections of its own: answers that it could not give are no figures.
 *
 * @param {string} url
 * @param {import('../settings.js').Settings} settings
 * @param {string} origin where the connection string was given
 */
export async function watchMongo(url, settings, origin) {
  const client = createClient(url, { ...settings, poolSize: 1, minPoolSize: 0 }, origin);
  try {
    const version = await connectClient(client, origin);
    return {
      version,
      /**
       * @template T
       * @param {(signal: AbortSignal) => Promise<T>} measure
       * @param {AbortSignal} signal ends the measurement
       * @returns {Promise<T>}
       * @throws {Error} saying that MongoDB was lost, as soon as no server takes writes any more
       */
      async during(measure, signal) {
        signal.throwIfAborted();
        const lost = new AbortController();
        /** @param {{ previousDescription: TopologyDescription, newDescription: TopologyDescription }} change */
        const look = ({ previousDescription, newDescription }) => {
          if (isWritable(previousDescription) && !isWritable(newDescription)) lost.abort(describeLoss(newDescription));
        };
        client.on('topologyDescriptionChanged', look);
        try {
          return await measure(AbortSignal.any([signal, lost.signal]));
        } finally {
          client.off('topologyDescriptionChanged', look);
          lost.signal.throwIfAborted();
        }
      },
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** @param {TopologyDescription} description */
function isWritable({ servers }) {
  return [...servers.values()].some((server) => server.isWritable);
}

/** @param {TopologyDescription} description */
function describeLoss({ servers }) {
  const reasons = [...servers.values()].flatMap(({ error }) => error?.message ?? []);
  return new Error(`MongoDB was lost during the measurement: ${reasons[0] ?? 'it has no primary any more'}`);
}
