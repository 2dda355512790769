import { startEmbeddedMongo } from './embedded.js';

/**
 * Uses the MongoDB at MONGO_URL, or starts an embedded one if that is unset.
 * @param {import('../settings.js').Settings} settings
 * @param {object} options
 * @param {(line: string) => void} options.report prints a line of progress
 * @param {AbortSignal} options.signal aborts the start
 * @param {number} [options.members] number of mongods of an embedded MongoDB
 * @returns {Promise<{ url: string, died?: Promise<Error>, stop: () => Promise<void> }>} as startEmbeddedMongo; `stop`
 *   leaves MONGO_URL alone
 */
export async function openMongo(settings, options) {
  if (settings.mongoUrl) return { url: settings.mongoUrl, stop: async () => {} };
  return startEmbeddedMongo({ ...settings, ...options });
}
