import { openMongo } from '../mongo/open.js';
import { watchMongo } from './watch-mongo.js';

/** @import { Settings } from '../settings.js' */

/**
 * The MongoDB that all variants of a lab share.
 *
 * @typedef {object} LabMongo
 * @property {string} url
 * @property {boolean} isEmbedded whether it is our own
 * @property {string | null} version
 * @property {AbortSignal} died aborted when our own mongod dies
 * @property {Awaited<ReturnType<typeof watchMongo>>['during']} during see watchMongo
 * @property {() => Promise<void>} close
 */

/** For a lab that measures something with a MongoDB of its own. @type {LabMongo} */
export const NO_MONGO = {
  url: '', isEmbedded: false, version: null, died: new AbortController().signal,
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
  const mongo = await openMongo({ ...settings, mongoUrl: options[urlOption] ?? settings.mongoUrl }, { members, report, signal });
  const died = new AbortController();
  mongo.died?.then((error) => died.abort(error));
  try {
    const watch = await watchMongo(mongo.url, settings, options[urlOption] ? `--${urlOption}` : 'MONGO_URL');
    return {
      url: mongo.url, isEmbedded: mongo.died !== undefined, version: watch.version, died: died.signal, during: watch.during,
      close: () => watch.close().finally(mongo.stop),
    };
  } catch (error) {
    await mongo.stop();
    throw error;
  }
}
