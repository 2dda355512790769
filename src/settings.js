import { readFileSync } from 'node:fs';
import { parse } from 'dotenv';
import envPaths from 'env-paths';
import { reasonOf } from './base/files.js';
import { describeAllowed } from './base/settings-docs.js';
import { SETTINGS } from './base/settings-table.js';

/** @import { Setting } from './base/settings-table.js' */
/** @typedef {import('./base/settings-table.js').Settings} Settings */

/** One or more settings are invalid. The message has a line for each. */
export class SettingsError extends Error {
  name = 'SettingsError';
}

/**
 * Reads all settings from the environment. A .env file provides those that are not set there.
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
    throw new SettingsError(`${file} can't be read: ${reasonOf(error)}`, { cause: error });
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
