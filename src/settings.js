import { readFileSync } from 'node:fs';
import { parse } from 'dotenv';
import envPaths from 'env-paths';

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

/** All settings. Validation, `--help`, the README and .env.example are made from this table. */
/** @type {Setting[]} */
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
    doc: 'how long the query of /slow takes, in ms' },
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

/** One or more settings are invalid. The message has a line for each. */
export class SettingsError extends Error {
  name = 'SettingsError';
}

/**
 * Read all settings from the environment. A .env file provides those that are not set there.
 *
 * @param {Record<string, string | undefined>} [environment]
 * @param {string} [envFile] may be missing
 * @returns {Settings}
 * @throws {SettingsError} naming each bad setting, its value and what is allowed
 */
export function readSettings(environment = process.env, envFile = '.env') {
  const source = { ...readEnvFile(envFile), ...environment };
  const folders = envPaths('mongodb-pool-lab', { suffix: '' });
  /** @type {Record<string, unknown>} */
  const values = {
    cacheDir: folders.cache,
    dataDir: folders.data,
    searchPath: environment.PATH ?? '',
  };
  const problems = [];
  for (const setting of SETTINGS) {
    const text = source[setting.env]?.trim();
    if (!text) {
      if (setting.default !== undefined) values[setting.key] = setting.default;
      continue;
    }
    const value = parseValue(setting, text);
    if (value === undefined) problems.push(describeProblem(setting, text));
    else values[setting.key] = value;
  }
  const settings = /** @type {Settings} */ (values);
  const { minPoolSize = 0, poolSize = Infinity } = settings;
  if (minPoolSize > poolSize) {
    problems.push(`MONGO_MIN_POOLSIZE=${minPoolSize} is not allowed: the maximum is MONGO_POOLSIZE=${poolSize}`);
  }
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return settings;
}

/** @param {Setting} setting */
export function describeAllowed({ type, min, max, choices = [] }) {
  if (type === 'integer') return max === undefined ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`;
  if (type === 'choice') return `one of ${choices.join(', ')}`;
  if (type === 'mongoUrl') return 'a URL that starts with mongodb:// or mongodb+srv://';
  if (type === 'appUrl') return 'a URL that starts with http:// or https://';
  if (type === 'token') return 'at least 16 characters of A-Z, a-z, 0-9, - and _';
  return 'text';
}

/** @param {Setting} setting @param {string} text */
function describeProblem(setting, text) {
  // Even an invalid value may contain a secret.
  const isSecret = ['mongoUrl', 'appUrl', 'token'].includes(setting.type);
  const shown = isSecret ? setting.env : `${setting.env}=${text.replaceAll('\n', '\\n')}`;
  return `${shown} is not allowed: it must be ${describeAllowed(setting)}${setting.note ? ` (${setting.note})` : ''}`;
}

/**
 * @param {Setting} setting
 * @param {string} text
 * @returns {number | string | undefined} undefined if it is not allowed
 */
function parseValue({ type, min = 0, max = Number.MAX_SAFE_INTEGER, choices = [] }, text) {
  if (type === 'integer') {
    const number = /^-?\d+$/.test(text) ? Number(text) : NaN;
    return number >= min && number <= max ? number : undefined;
  }
  if (type === 'choice') return choices.includes(text) ? text : undefined;
  if (type === 'mongoUrl') return /^mongodb(\+srv)?:\/\/./.test(text) ? text : undefined;
  if (type === 'appUrl') return /^https?:\/\/./.test(text) ? text : undefined;
  if (type === 'token') return /^[\w-]{16,}$/.test(text) ? text : undefined;
  return text;
}

/** @param {string} file @returns {Record<string, string | undefined>} */
function readEnvFile(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return {};
    throw new SettingsError(`${file} can't be read: ${/** @type {Error} */ (error).message}`, { cause: error });
  }
  rejectCutValues(text, file);
  return parse(text);
}

/**
 * An unquoted # starts a comment. In a password it cuts the value, and the rest may still look valid.
 * @param {string} text
 * @param {string} file
 */
function rejectCutValues(text, file) {
  const lines = text.split(/\r?\n/);
  for (const { env, type } of SETTINGS) {
    const cut = new RegExp(`^\\s*(?:export\\s+)?${env}\\s*[=:]\\s*(?!["'\`])[^#]*[^\\s#=:]#`);
    const index = lines.findIndex((line) => cut.test(line));
    if (index < 0) continue;
    const advice = ['mongoUrl', 'appUrl'].includes(type) ? 'write # as %23' : 'put the value in quotes';
    throw new SettingsError(`${file}, line ${index + 1}: ${env} would be cut at its #: ${advice}`);
  }
}

/** This environment with other settings, for a child process. @param {Record<string, string>} settings */
export function childEnvironment(settings) {
  return { ...process.env, ...settings };
}
