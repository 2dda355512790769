import { startEmbeddedMongo } from './embedded.js';

/**
 * The MongoDB of MONGO_URL, or an embedded one where that is unset.
 *
 * @param {import('../settings.js').Settings} settings
 * @param {object} options
 * @param {(line: string) => void} options.report gets a line of progress for people
 * @param {AbortSignal} options.signal ends a download
 * @param {number} [options.members] how many mongods an embedded MongoDB has
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>} `stop` ends what was started here
 */
export async function openMongo(settings, options) {
  if (settings.mongoUrl) return { url: settings.mongoUrl, stop: async () => {} };
  return startEmbeddedMongo({ ...settings, ...options });
}
