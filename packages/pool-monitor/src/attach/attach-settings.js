const MAX_PORT = 65_535;
const MAX_CONNECTIONS = 100_000;
const [DEFAULT_MB, MAX_MB] = [16, 10_000];
const LOOPBACK = '127.0.0.1';
const IS_LOOPBACK = /^(127\.0\.0\.1|localhost|::1)$/;

/**
 * @typedef {object} AttachSettings
 * @property {string} host that the live view listens on
 * @property {boolean} loopbackOnly whether that is this machine
 * @property {string | undefined} token that the live view asks for; other machines need one
 * @property {number} port of the live view; 0: any free one
 * @property {boolean} serverTiming whether responses get the header Server-Timing
 * @property {number | undefined} maxPoolSize replaces that of each client
 * @property {string | undefined} onlyClient name of the only client that it replaces
 * @property {boolean} shortRoutes whether the name of a route is the method and the first segment of the path
 * @property {boolean} otel whether the app's OpenTelemetry gets metrics and spans
 * @property {{ file: string, maxBytes: number } | undefined} history where to write what happened
 * @property {string | undefined} reportTo URL that gets a report about this process
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {AttachSettings}
 * @throws {Error} naming the setting, its value and what is allowed
 */
export function readAttachSettings(env) {
  const reportTo = readUrl(env, 'POOL_MONITOR_REPORT_TO');
  return {
    // Whoever gets reports asks for the page on this machine, without a token.
    ...(reportTo ? { host: LOOPBACK, loopbackOnly: true, token: undefined } : readAddress(env)),
    port: readNumber(env, 'POOL_MONITOR_PORT', 0, MAX_PORT) ?? 0,
    serverTiming: readChoice(env, 'POOL_MONITOR_SERVER_TIMING', ['off', 'on']) === 'on',
    maxPoolSize: readNumber(env, 'POOL_MONITOR_MAX_POOL_SIZE', 1, MAX_CONNECTIONS),
    onlyClient: env.POOL_MONITOR_CLIENT || undefined,
    shortRoutes: readChoice(env, 'POOL_MONITOR_ROUTES', ['full', 'short']) === 'short',
    otel: readChoice(env, 'POOL_MONITOR_OTEL', ['off', 'on']) === 'on',
    history: readHistory(env),
    reportTo,
  };
}

/** @param {NodeJS.ProcessEnv} env */
function readHistory(env) {
  const maxBytes = (readNumber(env, 'POOL_MONITOR_LOG_MB', 1, MAX_MB) ?? DEFAULT_MB) * 2 ** 20;
  return env.POOL_MONITOR_LOG ? { file: env.POOL_MONITOR_LOG, maxBytes } : undefined;
}

/** @param {NodeJS.ProcessEnv} env */
function readAddress({ POOL_MONITOR_HOST, POOL_MONITOR_TOKEN }) {
  const host = POOL_MONITOR_HOST || LOOPBACK;
  const token = POOL_MONITOR_TOKEN || undefined;
  const loopbackOnly = IS_LOOPBACK.test(host);
  // A secret: it is not shown.
  if (token !== undefined && !/^[\w-]{16,}$/.test(token))
    throw new Error('POOL_MONITOR_TOKEN must be at least 16 letters, digits, - or _');
  if (!loopbackOnly && token === undefined)
    throw new Error(`POOL_MONITOR_HOST=${host} opens the page to the network, so it needs POOL_MONITOR_TOKEN`);
  return { host, loopbackOnly, token };
}

/** @param {NodeJS.ProcessEnv} env @param {string} name @param {number} min @param {number} max */
function readNumber(env, name, min, max) {
  const text = env[name] ?? '';
  if (text === '') return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(number >= min && number <= max))
    throw new Error(`${name}=${text} must be a whole number from ${min} to ${max}`);
  return number;
}

/** @param {NodeJS.ProcessEnv} env @param {string} name @param {string[]} choices */
function readChoice(env, name, choices) {
  const text = env[name] ?? '';
  if (text !== '' && !choices.includes(text)) throw new Error(`${name}=${text} must be one of ${choices.join(', ')}`);
  return text;
}

/** @param {NodeJS.ProcessEnv} env @param {string} name */
function readUrl(env, name) {
  const text = env[name] ?? '';
  if (text !== '' && !/^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+\//.test(text)) {
    throw new Error(`${name}=${text} must be an http:// URL on loopback, with a port`);
  }
  return text || undefined;
}
