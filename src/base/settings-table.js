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
 * @property {number} [serverSelectionTimeoutMs]
 * @property {string} [appName]
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

/** Defaults of a client whose connection string does not say it. */
export const CLIENT_DEFAULTS = { appName: 'mongodb-pool-lab', serverSelectionTimeoutMs: 5000 };

const NO_LIMIT_NOTE = 'for the driver, 0 means "no limit"';

/** @typedef {Omit<Setting, 'env' | 'key' | 'type'>} SettingDetails */

/**
 * @param {Setting['type']} type
 * @param {Partial<SettingDetails>} [common] what all settings made by the returned function share
 */
function settingOf(type, common) {
  /** @param {Setting['env']} env @param {Setting['key']} key @param {SettingDetails} details @returns {Setting} */
  return (env, key, details) => ({ env, key, type, ...common, ...details });
}

const text = settingOf('text');
const choice = settingOf('choice');
const mongoUrl = settingOf('mongoUrl');
const integer = settingOf('integer', { min: 1 });
const delayMs = settingOf('integer', { min: 1, max: MAX_DELAY_MS });

/** Validation, `--help`, the README and .env.example are made from this table. @type {Setting[]} */
export const SETTINGS = [
  integer('MONGO_POOLSIZE', 'poolSize', {
    doc: 'maxPoolSize of the shared MongoClient: how many queries can run at once',
    unset: "the driver's default, 100",
    note: NO_LIMIT_NOTE,
  }),
  integer('MONGO_MIN_POOLSIZE', 'minPoolSize', {
    min: 0,
    doc: 'minPoolSize: connections that the pool keeps open at each server, even when idle',
    unset: "the driver's default, 0",
  }),
  integer('MONGO_MAX_CONNECTING', 'maxConnecting', {
    doc: 'maxConnecting: how many connections may be established at the same time',
    unset: "the driver's default, 2",
  }),
  delayMs('MONGO_WAIT_QUEUE_TIMEOUT_MS', 'waitQueueTimeoutMs', {
    doc: 'waitQueueTimeoutMS: how long a request may wait for a connection, in ms; then it gets 503',
    unset: 'no timeout',
  }),
  integer('SLOW_POOLSIZE', 'slowPoolSize', {
    doc: 'maxPoolSize of a second MongoClient, used only by /slow',
    unset: 'all routes share one client',
    note: NO_LIMIT_NOTE,
  }),
  integer('SLOW_CONCURRENCY', 'slowConcurrency', {
    doc: 'concurrency limit of /slow: how many requests may run at once; the next one gets 503',
    unset: 'no limit',
  }),
  delayMs('SLOW_MS', 'slowMs', {
    default: 5000,
    doc: 'how long the query of /slow takes when it is alone on the server, in ms',
  }),
  choice('SLOW_QUERY', 'slowQuery', {
    default: 'sleep',
    choices: ['sleep', 'work'],
    doc: 'what the query of /slow does: sleep, or work that costs the server CPU time',
  }),
  mongoUrl('MONGO_URL', 'mongoUrl', {
    doc: 'connection string of the MongoDB to use, and of the source of `replicate`',
    unset: 'start an embedded MongoDB; `replicate` needs --source',
  }),
  mongoUrl('MONGO_TARGET_URL', 'mongoTargetUrl', {
    doc: 'connection string of the MongoDB that `run replication` and `replicate` write to',
    unset: 'start an embedded MongoDB; `replicate` needs --target',
  }),
  {
    env: 'APP_URL',
    key: 'appUrl',
    type: 'appUrl',
    doc: 'URL of the app that `record` records',
    unset: '`record` needs --url',
  },
  text('MONGO_APP_NAME', 'appName', {
    doc: "appName of the connections, in the server's logs and in currentOp",
    unset: `what the connection string says, or else ${CLIENT_DEFAULTS.appName}`,
  }),
  delayMs('MONGO_SERVER_SELECTION_TIMEOUT_MS', 'serverSelectionTimeoutMs', {
    doc: 'how long to look for a reachable server, in ms; then the request gets 503',
    unset: `what the connection string says, or else ${CLIENT_DEFAULTS.serverSelectionTimeoutMs}`,
  }),
  text('MONGOD_PATH', 'mongodPath', {
    doc: 'mongod to use for the embedded MongoDB',
    unset: 'mongod on the PATH, or else a downloaded one',
  }),
  text('POOL_LAB_CACHE', 'cacheDir', {
    doc: 'folder for the downloaded mongod',
    unset: "in the user's cache folder",
  }),
  text('POOL_LAB_DATA', 'dataDir', {
    doc: 'folder for your progress in the workshop',
    unset: "in the user's data folder",
  }),
  text('HOST', 'host', { default: '127.0.0.1', doc: 'address to listen on' }),
  integer('PORT', 'port', {
    min: 0,
    max: 65535,
    default: 3000,
    doc: 'port to listen on; 0 picks a free one',
  }),
  choice('CONTROLS', 'controls', {
    default: 'auto',
    choices: ['auto', 'on', 'off'],
    doc: 'whether the live page may change settings and start load tests; auto: only if HOST is loopback',
  }),
  {
    env: 'CONTROLS_TOKEN',
    key: 'controlsToken',
    type: 'token',
    doc: 'token that the live page needs to change anything',
    unset: 'none on loopback; elsewhere each start logs a new one',
  },
  // Both are higher than any of our load tests needs (http.timeout, requests at once).
  delayMs('REQUEST_TIMEOUT_MS', 'requestTimeoutMs', {
    default: 150_000,
    doc: 'request deadline of /slow and /fast, in ms; then the query is aborted and the request gets 503',
  }),
  integer('MAX_REQUESTS', 'maxRequests', {
    default: 5000,
    doc: 'concurrency limit of /slow and /fast together, waiting requests included; the next one gets 503',
  }),
  delayMs('SHUTDOWN_TIMEOUT_MS', 'shutdownTimeoutMs', {
    default: 30_000,
    doc: 'how long requests in flight may take to finish after SIGTERM or SIGINT, in ms',
  }),
  choice('LOG_LEVEL', 'logLevel', {
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    doc: 'log level; debug logs each request',
  }),
];
