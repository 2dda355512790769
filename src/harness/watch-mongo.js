import { connectClient, createClient } from '../mongo/client.js';

/** @import { TopologyDescription } from 'mongodb' */

/**
 * Watches a MongoDB during measurements, over separate connections. If it is lost, the figures would be meaningless.
 * @param {string} url
 * @param {import('../settings.js').Settings} settings
 * @param {string} origin where the connection string came from
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
       * @throws {Error} as soon as no server accepts writes
       */
      async during(measure, signal) {
        signal.throwIfAborted();
        const lost = new AbortController();
        /** @param {{ previousDescription: TopologyDescription, newDescription: TopologyDescription }} change */
        const onChange = ({ previousDescription, newDescription }) => {
          if (isWritable(previousDescription) && !isWritable(newDescription)) lost.abort(describeLoss(newDescription));
        };
        client.on('topologyDescriptionChanged', onChange);
        try {
          return await measure(AbortSignal.any([signal, lost.signal]));
        } finally {
          client.off('topologyDescriptionChanged', onChange);
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
  return new Error(`MongoDB was lost during the measurement: ${reasons[0] ?? 'it has no primary'}`);
}
