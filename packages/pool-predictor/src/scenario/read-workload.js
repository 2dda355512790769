import { isRecord } from '../base/json-value.js';
import { fillTemplates } from './fill-templates.js';
import { createWorkload } from './workload.js';
import { parseYaml } from './yaml-source.js';

/** @import { Place } from './workload-issues.js' */
/** @import { Script } from './workload.js' */
/** @import { YamlPath } from './yaml-source.js' */

/** A template where a number or a time should be. */
const UNFILLED = /"\{\{\s*([\w$.]+)\s*\}\}"/;

/**
 * @typedef {{ file: string, text: string }} SourceFile
 *
 * @typedef {object} OutsideValues what comes from outside the files
 * @property {string} [environment] one of config.environments, merged into config
 * @property {Record<string, unknown>} [variables] in place of those of config.variables
 * @property {Record<string, string | undefined>} [env] environment variables, for `{{ $env.NAME }}`
 */

/**
 * Reads an Artillery script from text.
 *
 * @param {string} yamlText
 * @param {OutsideValues & NonNullable<Parameters<typeof createWorkload>[1]> & { others?: SourceFile[] }} [options]
 *   others: files that are merged into it, as by `artillery run`: further scripts, then that of --config. Later ones
 *   win
 * @returns {ReturnType<typeof createWorkload>}
 * @throws {Error} for text that is not YAML; otherwise see createWorkload
 */
export function readWorkload(
  yamlText,
  { environment, variables, env, others = [], file = 'The scenario file', ...options } = {},
) {
  const script = mergeFiles([{ file, text: yamlText }, ...others], { environment, variables, env });
  try {
    return createWorkload(script, { file, ...options });
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    const [, way] = UNFILLED.exec(message) ?? [];
    if (way === undefined) throw cause;
    const [, name] = /^\$(?:env|processEnvironment)\.(.+)/.exec(way) ?? [];
    const hint = name ? `Set ${name} in the environment` : `Give it a value with --variables '{"${way}": 5}'`;
    throw new Error(`${message}\n${hint}`, { cause });
  }
}

/**
 * Does what Artillery does before it starts a test, in the same order:
 * https://github.com/artilleryio/artillery/blob/main/packages/artillery/lib/util/prepare-test-execution-plan.ts
 *
 * @param {SourceFile[]} files
 * @param {OutsideValues} context
 * @returns {Script}
 */
function mergeFiles(files, { environment, variables = {}, env = {} }) {
  const parsed = files.map(({ file, text }) => ({ file, ...parseYaml(text, file) }));
  for (const { file, value } of parsed.slice(1)) {
    if (!isRecord(value)) throw new Error(`${file} has neither scenarios nor a config`);
  }
  const merged = parsed.map(({ value }) => value).reduce(merge);
  const base = isRecord(merged?.config) ? merged.config : {};
  const overlay = environment === undefined ? {} : findEnvironment(base, environment, files[0].file);
  const config = merge(base, overlay);
  if (Object.keys(variables).length > 0) config.variables = { ...Object(config.variables), ...variables };

  /** @param {YamlPath} path @returns {Place} */
  function placeAt(path) {
    if (path[0] === 'config' && has(overlay, path.slice(1)))
      return placeInFiles(['config', 'environments', environment ?? '', ...path.slice(1)]);
    return placeInFiles(path);
  }

  /** @param {YamlPath} path @returns {Place} */
  function placeInFiles(path) {
    const index = parsed.findLastIndex(({ value }) => has(value, path));
    if (index < 0 && path.length > 0) return placeInFiles(path.slice(0, -1));
    const { file, placeAt: placeIn } = parsed[Math.max(0, index)];
    return { ...(index > 0 && { file }), ...placeIn(path) };
  }

  const isScript = isRecord(merged);
  return {
    value: isScript ? { ...merged, ...fillTemplates({ ...merged, config }, { environment, variables, env }) } : merged,
    placeAt,
  };
}

/** @param {any} config @param {string} environment @param {string} file */
function findEnvironment(config, environment, file) {
  const environments = isRecord(config.environments) ? config.environments : {};
  if (Object.hasOwn(environments, environment) && isRecord(environments[environment])) return environments[environment];
  throw new Error(
    `${file} has no environment "${environment}": ` + `it has ${Object.keys(environments).join(', ') || 'none'}`,
  );
}

/**
 * Merges two values as Artillery does (https://lodash.com/docs#merge): maps by key and lists by position.
 *
 * @param {any} base
 * @param {any} overlay
 * @returns {any}
 */
function merge(base, overlay) {
  if (Array.isArray(base) && Array.isArray(overlay)) {
    const longer = base.length > overlay.length ? base : overlay;
    return longer.map((_, index) => merge(base[index], overlay[index]));
  }
  if (isRecord(base) && isRecord(overlay)) {
    const keys = Object.keys({ ...base, ...overlay });
    return Object.fromEntries(keys.map((key) => [key, merge(ownOf(base, key), ownOf(overlay, key))]));
  }
  return overlay === undefined ? base : overlay;
}

/** Ignores inherited properties, such as `constructor`. @param {any} map @param {string} key */
function ownOf(map, key) {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** @param {any} value @param {YamlPath} path */
function has(value, path) {
  return path.length > 0 && path.reduce((at, key) => at?.[key], value) !== undefined;
}
