import { readFileSync } from 'node:fs';
import { parse } from 'dotenv';
import envPaths from 'env-paths';

/** The longest delay that a timer of the platform takes, in ms (about 25 days). */
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
 * @property {string} searchPath the PATH variable: where a mongod may be
 */

/**
 * @typedef {object} Setting
 * @property {string} env its name in the environment
 * @property {Exclude<keyof Settings, 'searchPath'>} key its name in Settings
 * @property {string} doc one sentence
 * @property {'integer' | 'text' | 'mongoUrl' | 'appUrl' | 'token' | 'choice'} type
 * @property {number | string} [default] absent: may stay unset
 * @property {string} [unset] what happens while it is unset
 * @property {number} [min]
 * @property {number} [max]
 * @property {string[]} [choices]
 * @property {string} [note] said with an error
 */

const NO_LIMIT_NOTE = '0 would mean "no limit" to the driver';

/** Every setting there is: the validation, `--help`, the README and .env.example are all made from this table. */
/** @type {Setting[]} */
export const SETTINGS = [
  { env: 'MONGO_POOLSIZE', key: 'poolSize', type: 'integer', min: 1,
    doc: 'maxPoolSize of the one shared MongoClient: how many queries can run at once',
    unset: "the driver's own default, 100",
    note: NO_LIMIT_NOTE },
  { env: 'MONGO_MIN_POOLSIZE', key: 'minPoolSize', type: 'integer', min: 0,
    doc: 'connections the pool keeps open even when nobody needs them', unset: "the driver's default, 0" },
  { env: 'MONGO_MAX_CONNECTING', key: 'maxConnecting', type: 'integer', min: 1,
    doc: 'connections that may be in the making at the same time', unset: "the driver's default, 2" },
  { env: 'MONGO_WAIT_QUEUE_TIMEOUT_MS', key: 'waitQueueTimeoutMs', type: 'integer', min: 1, max: MAX_DELAY_MS,
    doc: 'longest wait for a connection, in ms; after it the request gets 503', unset: 'wait for ever' },
  { env: 'SLOW_POOLSIZE', key: 'slowPoolSize', type: 'integer', min: 1,
    doc: 'maxPoolSize of a second MongoClient, for the query of /slow alone', unset: 'one client runs all queries',
    note: NO_LIMIT_NOTE },
  { env: 'SLOW_CONCURRENCY', key: 'slowConcurrency', type: 'integer', min: 1,
    doc: 'how many requests of /slow may be at work together; the next gets 503 at once', unset: 'no cap' },
  { env: 'SLOW_MS', key: 'slowMs', type: 'integer', min: 1, max: MAX_DELAY_MS, default: 5000,
    doc: 'how long the server takes to answer the query of /slow, in ms' },
  { env: 'MONGO_URL', key: 'mongoUrl', type: 'mongoUrl',
    doc: 'connection string of the MongoDB to use', unset: 'an embedded MongoDB is started' },
  { env: 'MONGO_TARGET_URL', key: 'mongoTargetUrl', type: 'mongoUrl',
    doc: 'connection string of the MongoDB that run replication writes to', unset: 'an embedded MongoDB is started' },
  { env: 'APP_URL', key: 'appUrl', type: 'appUrl',
    doc: 'URL of the app that record follows', unset: 'record needs --url' },
  { env: 'MONGO_APP_NAME', key: 'appName', type: 'text', default: 'mongodb-pool-lab',
    doc: 'what the server calls the connections of this app, in its logs and in currentOp' },
  { env: 'MONGO_SERVER_SELECTION_TIMEOUT_MS', key: 'serverSelectionTimeoutMs', type: 'integer', min: 1,
    max: MAX_DELAY_MS, default: 5000,
    doc: 'how long a request looks for a reachable MongoDB, in ms; after it the request gets 503' },
  { env: 'MONGOD_PATH', key: 'mongodPath', type: 'text',
    doc: 'the mongod that an embedded MongoDB runs', unset: 'mongod on the PATH, else a downloaded one' },
  { env: 'POOL_LAB_CACHE', key: 'cacheDir', type: 'text',
    doc: 'folder that keeps a downloaded mongod', unset: "a folder in the user's cache" },
  { env: 'POOL_LAB_DATA', key: 'dataDir', type: 'text',
    doc: 'folder that keeps your progress in the workshop', unset: "a folder in the user's data" },
  { env: 'HOST', key: 'host', type: 'text', default: '127.0.0.1', doc: 'address to listen on' },
  { env: 'PORT', key: 'port', type: 'integer', min: 0, max: 65535, default: 3000,
    doc: 'port to listen on; 0 takes any free one' },
  { env: 'CONTROLS', key: 'controls', type: 'choice', default: 'auto', choices: ['auto', 'on', 'off'],
    doc: 'whether the live page may change things; auto: only while the app listens on loopback' },
  { env: 'CONTROLS_TOKEN', key: 'controlsToken', type: 'token',
    doc: 'what the live page has to know before it may change things',
    unset: 'nothing on loopback; elsewhere each start makes one up and logs it' },
  // Longer than users of any load test wait (http.timeout), and more than any of them sends at once.
  { env: 'REQUEST_TIMEOUT_MS', key: 'requestTimeoutMs', type: 'integer', min: 1, max: MAX_DELAY_MS, default: 150_000,
    doc: 'how long a request of /slow or /fast may take, in ms; after it the query is given up and the request gets 503' },
  { env: 'MAX_REQUESTS', key: 'maxRequests', type: 'integer', min: 1, default: 5000,
    doc: 'how many requests of /slow and /fast may be under way together, waiting or at work; the next gets 503 at once' },
  { env: 'SHUTDOWN_TIMEOUT_MS', key: 'shutdownTimeoutMs', type: 'integer', min: 1, max: MAX_DELAY_MS,
    default: 30_000, doc: 'how long running requests may take to finish after SIGTERM or SIGINT, in ms' },
  { env: 'LOG_LEVEL', key: 'logLevel', type: 'choice', default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    doc: 'how much to log; debug shows each request' },
];

/** One or more settings have values that are not allowed; the message has a line for each. */
export class SettingsError extends Error {
  name = 'SettingsError';
}

/**
 * Read all settings from the environment and, for what is not set there, from a .env file.
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
    problems.push(`MONGO_MIN_POOLSIZE=${minPoolSize} is not allowed: at most MONGO_POOLSIZE, which is ${poolSize}`);
  }
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return settings;
}

/**
 * What a setting may be, in words: for errors and for documents.
 * @param {Setting} setting
 */
export function describeAllowed({ type, min, max, choices = [] }) {
  if (type === 'integer') return `a whole number from ${min}${max === undefined ? '' : ` to ${max}`}`;
  if (type === 'choice') return `one of ${choices.join(', ')}`;
  if (type === 'mongoUrl') return 'a URL that starts with mongodb:// or mongodb+srv://';
  if (type === 'appUrl') return 'a URL that starts with http:// or https://';
  if (type === 'token') return '16 or more of A-Z, a-z, 0-9, - and _';
  return 'text';
}

/**
 * @param {Setting} setting
 * @param {string} text
 */
function describeProblem(setting, text) {
  // What is mistyped may still hold a secret.
  const isSecret = ['mongoUrl', 'appUrl', 'token'].includes(setting.type);
  const shown = isSecret ? setting.env : `${setting.env}=${text.replaceAll('\n', '\\n')}`;
  return `${shown} is not allowed: ${describeAllowed(setting)}${setting.note ? ` (${setting.note})` : ''}`;
}

/**
 * @param {Setting} setting
 * @param {string} text
 * @returns {number | string | undefined} undefined when the text is not allowed
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

/**
 * @param {string} file
 * @returns {Record<string, string | undefined>}
 */
function readEnvFile(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return {};
    throw new SettingsError(`${file} can't be read: ${/** @type {Error} */ (error).message}`, { cause: error });
  }
  assertNoLostEnds(text, file);
  return parse(text);
}

/**
 * A # ends an unquoted value. In a password it is no comment, and what is left of it may still look right.
 * @param {string} text
 * @param {string} file
 */
function assertNoLostEnds(text, file) {
  const lines = text.split(/\r?\n/);
  for (const { env, type } of SETTINGS) {
    const cut = new RegExp(`^\\s*(?:export\\s+)?${env}\\s*[=:]\\s*(?!["'\`])[^#]*[^\\s#=:]#`);
    const index = lines.findIndex((line) => cut.test(line));
    if (index < 0) continue;
    const instead = ['mongoUrl', 'appUrl'].includes(type) ? 'write it as %23' : 'put the value in quotes';
    throw new SettingsError(`${file}, line ${index + 1}: ${env} would end at its #: ${instead}`);
  }
}

/**
 * The environment for a child process: this one's, with some settings of its own.
 * @param {Record<string, string>} settings
 */
export function childEnvironment(settings) {
  return { ...process.env, ...settings };
}
