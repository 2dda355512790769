import { connectClient, createClient } from '../../src/mongo/client.js';
import { openMongo } from '../../src/mongo/embedded.js';

/** @import { TopologyDescription } from 'mongodb' */
/** @import { Settings } from '../../src/settings.js' */

/**
 * The MongoDB that all variants of a lab share.
 *
 * @typedef {object} LabMongo
 * @property {string} url
 * @property {string | null} version
 * @property {boolean} isOurs whether this process started it
 * @property {AbortSignal} died aborted when our own mongod dies
 * @property {Awaited<ReturnType<typeof watchMongo>>['during']} during see watchMongo
 * @property {() => Promise<void>} close
 */

/** What a lab with a MongoDB of its own gets. @type {LabMongo} */
export const NO_MONGO = {
  url: '',
  version: null,
  isOurs: false,
  died: new AbortController().signal,
  during: (measure, signal) => measure(signal),
  close: async () => {},
};

/**
 * @param {{ members?: number, urlOption?: string }} wanted see Bench
 * @param {Record<string, any>} options of the lab
 * @param {{ settings: Settings, report: (line: string) => void, signal: AbortSignal }} surroundings
 * @returns {Promise<LabMongo>}
 */
export async function openLabMongo({ members, urlOption = 'url' }, options, { settings, report, signal }) {
  const mongoUrl = options[urlOption] ?? settings.mongoUrl;
  const mongo = await openMongo({ ...settings, mongoUrl }, { members, report, signal });
  const died = new AbortController();
  mongo.died?.then((error) => died.abort(error));
  try {
    const watch = await watchMongo(mongo.url, settings, options[urlOption] ? `--${urlOption}` : 'MONGO_URL');
    return {
      url: mongo.url,
      version: watch.version,
      isOurs: mongo.died !== undefined,
      died: died.signal,
      during: watch.during,
      close: () => watch.close().finally(mongo.stop),
    };
  } catch (error) {
    await mongo.stop();
    throw error;
  }
}

/**
 * Watches a MongoDB during measurements, over separate connections. If it is lost, the figures would be meaningless.
 * @param {string} url
 * @param {Settings} settings
 * @param {string} origin where the connection string came from
 */
async function watchMongo(url, settings, origin) {
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
