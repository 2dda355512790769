/** Options that decide how long a request waits for a connection, and their defaults (driver 4 to 7). */
export const OPTION_DEFAULTS = {
  maxPoolSize: 100,
  minPoolSize: 0,
  maxConnecting: 2,
  maxIdleTimeMS: 0,
  waitQueueTimeoutMS: 0,
  timeoutMS: 0,
  connectTimeoutMS: 30_000,
  socketTimeoutMS: 0,
  serverSelectionTimeoutMS: 30_000,
};

/**
 * The clients that one line of the app has created for the same servers, since the process started.
 *
 * @typedef {object} ClientSite
 * @property {string | null} place such as `src/db.js:12`, or `a library`; null for clients that were connected before
 *   they were found
 * @property {string} hosts of their connection string
 * @property {number} created how many have connected
 * @property {number} closed
 * @property {number} connections open now, in their pools
 * @property {{ created: number, closed: number }} minuteAgo
 */

/**
 * @typedef {object} OptionFacts
 * @property {number} value
 * @property {'uri' | 'code' | 'default' | 'lab'} from who set it. The driver prefers the code to the URI. A default
 *   that the code sets counts as a default; lab: it was replaced for a measurement
 * @property {number} [uri] what the URI asked for, if that is not the value: the code won, or the driver ignores it
 * @property {unknown} [own] the client's own value, if the lab won
 * @property {true} [ignored] the driver ignores it, though it was set
 *
 * @typedef {{ appName?: string, driver?: string, options: Record<string, OptionFacts> }} ClientFacts
 */

/**
 * Says what is known about a client: nothing that is secret.
 *
 * @param {any} client a MongoClient
 * @param {Record<string, unknown>} replaced its own values of options that were replaced, by name
 * @param {string[]} ignored names of options that the driver ignores
 * @returns {Pick<ClientFacts, 'appName' | 'options'>}
 */
export function describeClient(client, replaced, ignored) {
  // Drivers 6.22 and 7.8 leave timeoutMS out, because it has no effect there.
  const options = { timeoutMS: 0, ...client.options };
  const asked = readUri(client.s?.url);
  return {
    ...(typeof options.appName === 'string' && { appName: options.appName }),
    options: Object.fromEntries(
      Object.entries(OPTION_DEFAULTS).flatMap(([name, usual]) => {
        const value = options[name];
        if (typeof value !== 'number') return [];
        const facts = describeOption(value, usual, asked.get(name.toLowerCase()), replaced[name]);
        return [[name, { ...facts, ...(ignored.includes(name) && { ignored: true }) }]];
      }),
    ),
  };
}

/**
 * @param {number} value
 * @param {number | undefined} usual
 * @param {number | undefined} uri
 * @param {unknown} own
 * @returns {OptionFacts}
 */
function describeOption(value, usual, uri, own) {
  if (own !== undefined) return { value, from: 'lab', own };
  if (uri === value) return { value, from: 'uri' };
  return { value, from: value === usual ? 'default' : 'code', ...(uri !== undefined && { uri }) };
}

/** @param {unknown} url @returns {Map<string, number>} the numbers in its query, by lower-case name */
function readUri(url) {
  const [, query = ''] = String(url ?? '').split('?');
  return new Map(
    [...new URLSearchParams(query)]
      .map(([name, text]) => /** @type {[string, number]} */ ([name.toLowerCase(), Number(text)]))
      .filter(([, number]) => Number.isFinite(number)),
  );
}

/** @param {any} client @returns {Promise<string | undefined>} the version of its driver */
export async function readDriverVersion({ options: { metadata } }) {
  // A promise since driver 7.
  const version = (await metadata)?.driver?.version;
  return typeof version === 'string' ? version : undefined;
}
