/** The longest delay that setTimeout accepts: about 25 days. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * @typedef {object} Settings
 * @property {string} [mongoUrl]
 * @property {string} [mongoTargetUrl]
 * @property {string} [appUrl]
 * @property {string} [mongodPath]
 * @property {string} cacheDir
 * @property {string} dataDir
 * @property {number} [poolSize]
 * @property {number} [minPoolSize]
 * @property {number} [maxConnecting]
 * @property {number} [waitQueueTimeoutMs]
 * @property {number} serverSelectionTimeoutMs
 * @property {string} appName
 * @property {number} [slowPoolSize]
 * @property {number} [slowConcurrency]
 * @property {number} slowMs
 * @property {'sleep' | 'work'} slowQuery
 * @property {string} host
 * @property {number} port
 * @property {number} requestTimeoutMs
 * @property {number} maxRequests
 * @property {number} shutdownTimeoutMs
 * @property {'auto' | 'on' | 'off'} controls
 * @property {string} [controlsToken]
 * @property {string} logLevel
 * @property {string} searchPath the PATH variable, to look for mongod
 */

/**
 * @typedef {object} Setting
 * @property {string} env
 * @property {Exclude<keyof Settings, 'searchPath'>} key
 * @property {string} doc one sentence
 * @property {'integer' | 'text' | 'mongoUrl' | 'appUrl' | 'token' | 'choice'} type
 * @property {number | string} [default] if missing, the setting is optional
 * @property {string} [unset] what happens while it is unset
 * @property {number} [min]
 * @property {number} [max]
 * @property {string[]} [choices]
 * @property {string} [note] printed with an error
 */

const NO_LIMIT_NOTE = 'for the driver, 0 means "no limit"';

/** Validation, `--help`, the README and .env.example are made from this table. @type {Setting[]} */
export const SETTINGS = [
  { env: 'MONGO_POOLSIZE', key: 'poolSize', type: 'integer', min: 1,
    doc: 'maxPoolSize of the shared MongoClient: how many queries can run at once',
    unset: "the driver's default, 100",
    note: NO_LIMIT_NOTE },
  { env: 'MONGO_MIN_POOLSIZE', key: 'minPoolSize', type: 'integer', min: 0,
    doc: 'minPoolSize: connections that the pool keeps open even when idle', unset: "the driver's default, 0" },
  { env: 'MONGO_MAX_CONNECTING', key: 'maxConnecting', type: 'integer', min: 1,
    doc: 'maxConnecting: how many connections may be established at the same time', unset: "the driver's default, 2" },
  { env: 'MONGO_WAIT_QUEUE_TIMEOUT_MS', key: 'waitQueueTimeoutMs', type: 'integer', min: 1, max: MAX_DELAY_MS,
    doc: 'waitQueueTimeoutMS: how long a request may wait for a connection, in ms; then it gets 503', unset: 'no timeout' },
  { env: 'SLOW_POOLSIZE', key: 'slowPoolSize', type: 'integer', min: 1,
    doc: 'maxPoolSize of a second MongoClient, used only by /slow', unset: 'all routes share one client',
    note: NO_LIMIT_NOTE },
  { env: 'SLOW_CONCURRENCY', key: 'slowConcurrency', type: 'integer', min: 1,
    doc: 'concurrency limit of /slow: how many requests may run at once; the next one gets 503', unset: 'no limit' },
  { env: 'SLOW_MS', key: 'slowMs', type: 'integer', min: 1, max: MAX_DELAY_MS, default: 5000,
    doc: 'how long the query of /slow takes when it is alone on the server, in ms' },
  { env: 'SLOW_QUERY', key: 'slowQuery', type: 'choice', default: 'sleep', choices: ['sleep', 'work'],
    doc: 'what the query of /slow does: sleep, or work that costs the server processor time' },
  { env: 'MONGO_URL', key: 'mongoUrl', type: 'mongoUrl',
    doc: 'connection string of the MongoDB to use', unset: 'start an embedded MongoDB' },
  { env: 'MONGO_TARGET_URL', key: 'mongoTargetUrl', type: 'mongoUrl',
    doc: 'connection string of the MongoDB that `run replication` writes to', unset: 'start an embedded MongoDB' },
  { env: 'APP_URL', key: 'appUrl', type: 'appUrl',
    doc: 'URL of the app that `record` records', unset: '`record` needs --url' },
  { env: 'MONGO_APP_NAME', key: 'appName', type: 'text', default: 'mongodb-pool-lab',
    doc: 'appName of the connections, in the server\'s logs and in currentOp' },
  { env: 'MONGO_SERVER_SELECTION_TIMEOUT_MS', key: 'serverSelectionTimeoutMs', type: 'integer', min: 1,
    max: MAX_DELAY_MS, default: 5000,
    doc: 'how long to look for a reachable server, in ms; then the request gets 503' },
  { env: 'MONGOD_PATH', key: 'mongodPath', type: 'text',
    doc: 'mongod to use for the embedded MongoDB', unset: 'mongod on the PATH, or else a downloaded one' },
  { env: 'POOL_LAB_CACHE', key: 'cacheDir', type: 'text',
    doc: 'folder for the downloaded mongod', unset: "in the user's cache folder" },
  { env: 'POOL_LAB_DATA', key: 'dataDir', type: 'text',
    doc: 'folder for your progress in the workshop', unset: "in the user's data folder" },
  { env: 'HOST', key: 'host', type: 'text', default: '127.0.0.1', doc: 'address to listen on' },
  { env: 'PORT', key: 'port', type: 'integer', min: 0, max: 65535, default: 3000,
    doc: 'port to listen on; 0 picks a free one' },
  { env: 'CONTROLS', key: 'controls', type: 'choice', default: 'auto', choices: ['auto', 'on', 'off'],
    doc: 'whether the live page may change settings and start load tests; auto: only if HOST is loopback' },
  { env: 'CONTROLS_TOKEN', key: 'controlsToken', type: 'token',
    doc: 'token that the live page needs to change anything',
    unset: 'none on loopback; elsewhere each start logs a new one' },
  // Both are higher than any of our load tests needs (http.timeout, requests at once).
  { env: 'REQUEST_TIMEOUT_MS', key: 'requestTimeoutMs', type: 'integer', min: 1, max: MAX_DELAY_MS, default: 150_000,
    doc: 'request deadline of /slow and /fast, in ms; then the query is aborted and the request gets 503' },
  { env: 'MAX_REQUESTS', key: 'maxRequests', type: 'integer', min: 1, default: 5000,
    doc: 'concurrency limit of /slow and /fast together, waiting requests included; the next one gets 503' },
  { env: 'SHUTDOWN_TIMEOUT_MS', key: 'shutdownTimeoutMs', type: 'integer', min: 1, max: MAX_DELAY_MS,
    default: 30_000, doc: 'how long requests in flight may take to finish after SIGTERM or SIGINT, in ms' },
  { env: 'LOG_LEVEL', key: 'logLevel', type: 'choice', default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    doc: 'log level; debug logs each request' },
];

/** @param {Setting} setting */
export function describeAllowed({ type, min, max, choices = [] }) {
  if (type === 'integer') return max === undefined ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`;
  if (type === 'choice') return `one of ${choices.join(', ')}`;
  if (type === 'mongoUrl') return 'a URL that starts with mongodb:// or mongodb+srv://';
  if (type === 'appUrl') return 'a URL that starts with http:// or https://';
  if (type === 'token') return 'at least 16 characters of A-Z, a-z, 0-9, - and _';
  return 'text';
}
