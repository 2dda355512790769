import { startEmbeddedMongo } from './embedded.js';

/**
 * The MongoDB of MONGO_URL, or an embedded one where that is unset.
 *
 * @param {import('../settings.js').Settings} settings
 * @param {object} options
 * @param {(line: string) => void} options.report gets a line of progress for people
 * @param {AbortSignal} options.signal cuts the start short
 * @param {number} [options.members] how many mongods an embedded MongoDB has
 * @returns {Promise<{ url: string, died?: Promise<Error>, stop: () => Promise<void> }>} `died` when an embedded one ended
 *   by itself; `stop` ends what was started here
 */
export async function openMongo(settings, options) {
  if (settings.mongoUrl) return { url: settings.mongoUrl, stop: async () => {} };
  return startEmbeddedMongo({ ...settings, ...options });
}
