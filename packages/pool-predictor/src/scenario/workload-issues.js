/** @import { YamlPath } from './yaml-source.js' */

/**
 * @typedef {object} Issue
 * @property {number} line
 * @property {string} message
 */

/**
 * Collects the problems of a scenario file, so that one error names all of them.
 *
 * @param {(path: YamlPath) => number} lineAt
 */
export function createIssues(lineAt) {
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
    const line = lineAt(path);
    if (!issues.some((issue) => issue.line === line && issue.message === message)) issues.push({ line, message });
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
    refusals.sort((a, b) => a.line - b.line);
    const list = refusals.map(({ line, message }) => `  line ${line}: ${message}`).join('\n');
    throw new Error(`${file} can't be simulated:\n${list}`);
  }

  return { refuse, warn, attempt, attemptOrWarn, throwIfRefused, warnings };
}

/** @typedef {ReturnType<typeof createIssues>} Issues */
