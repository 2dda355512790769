/** @import { YamlPath } from './yaml-source.js' */

/**
 * @typedef {{ line: number, file?: string }} Place file: only if it is not the first
 * @typedef {Place & { message: string }} Issue
 */

/**
 * Collects the problems of a scenario file, so that one error names all of them.
 *
 * @param {(path: YamlPath) => Place} placeAt
 */
export function createIssues(placeAt) {
  /** @type {Issue[]} */
  const refusals = [];
  /** @type {Issue[]} */
  const warnings = [];

  /**
   * A flow is read once for each choice of data, but its issues are listed once.
   * @param {Issue[]} issues
   * @param {YamlPath} path
   * @param {string} message
   */
  function add(issues, path, message) {
    const place = placeAt(path);
    const isSame = (/** @type {Issue} */ issue) =>
      issue.file === place.file && issue.line === place.line && issue.message === message;
    if (!issues.some(isSame)) issues.push({ ...place, message });
  }

  /** Notes a problem that would make a prediction wrong. @param {YamlPath} path @param {string} message */
  function refuse(path, message) {
    add(refusals, path, message);
  }

  /** Notes a problem that may matter. @param {YamlPath} path @param {string} message */
  function warn(path, message) {
    add(warnings, path, message);
  }

  /**
   * @template T
   * @param {YamlPath} path
   * @param {() => T} parse what it throws becomes a refusal
   * @returns {T | undefined}
   */
  function attempt(path, parse) {
    try {
      return parse();
    } catch (error) {
      refuse(path, /** @type {Error} */ (error).message);
      return undefined;
    }
  }

  /**
   * @template T
   * @param {YamlPath} path
   * @param {() => T} read what it throws becomes a warning
   * @returns {T | undefined}
   */
  function attemptOrWarn(path, read) {
    try {
      return read();
    } catch (error) {
      warn(path, /** @type {Error} */ (error).message);
      return undefined;
    }
  }

  /** @param {string} file */
  function throwIfRefused(file) {
    if (refusals.length === 0) return;
    refusals.sort((a, b) => (a.file ?? '').localeCompare(b.file ?? '') || a.line - b.line);
    const list = refusals
      .map((one) => `  ${one.file ? `${one.file}, ` : ''}line ${one.line}: ${one.message}`)
      .join('\n');
    throw new Error(`${file} can't be simulated:\n${list}`);
  }

  return { refuse, warn, attempt, attemptOrWarn, throwIfRefused, warnings };
}

/** @typedef {ReturnType<typeof createIssues>} Issues */
