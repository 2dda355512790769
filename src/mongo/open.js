import { startEmbeddedMongo } from './embedded.js';

/**
 * The MongoDB of MONGO_URL, or an embedded one where that is unset.
 *
 * @param {import('../settings.js').Settings} settings
 * @param {(line: string) => void} report gets a line of progress for people
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>} `stop` ends what was started here
 */
export async function openMongo(settings, report) {
  if (settings.mongoUrl) return { url: settings.mongoUrl, stop: async () => {} };
  return startEmbeddedMongo({ ...settings, report });
}
