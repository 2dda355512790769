/** @import { Path } from './yaml-source.js' */

/**
 * @typedef {object} Issue
 * @property {number} line
 * @property {string} message
 */

/**
 * Collects the problems of a scenario file, so that one error names all of them.
 *
 * @param {(path: Path) => number} lineAt
 */
export function createIssues(lineAt) {
  /** @type {Issue[]} */
  const refusals = [];
  /** @type {Issue[]} */
  const warnings = [];

  /** For what would make a prediction wrong. @param {Path} path @param {string} message */
  function refuse(path, message) {
    refusals.push({ line: lineAt(path), message });
  }

  /** For what may matter. @param {Path} path @param {string} message */
  function warn(path, message) {
    warnings.push({ line: lineAt(path), message });
  }

  /**
   * @template T
   * @param {Path} path
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

  /** @param {string} file */
  function throwIfRefused(file) {
    if (refusals.length === 0) return;
    refusals.sort((a, b) => a.line - b.line);
    const list = refusals.map(({ line, message }) => `  line ${line}: ${message}`).join('\n');
    throw new Error(`${file} can't be simulated:\n${list}`);
  }

  return { refuse, warn, attempt, throwIfRefused, warnings };
}

/** @typedef {ReturnType<typeof createIssues>} Issues */
