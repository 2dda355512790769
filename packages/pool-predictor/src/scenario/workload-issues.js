/** @import { Path } from './yaml-source.js' */

/**
 * @typedef {object} Issue
 * @property {number} line
 * @property {string} message
 */

/**
 * Collects what a scenario file asks for and cannot have, so that one reading names all of it.
 *
 * @param {(path: Path) => number} lineAt
 */
export function createIssues(lineAt) {
  /** @type {Issue[]} */
  const refusals = [];
  /** @type {Issue[]} */
  const warnings = [];

  /** What would make a prediction wrong. @param {Path} path @param {string} message */
  function refuse(path, message) {
    refusals.push({ line: lineAt(path), message });
  }

  /** What may matter. @param {Path} path @param {string} message */
  function warn(path, message) {
    warnings.push({ line: lineAt(path), message });
  }

  /**
   * @template T
   * @param {Path} path
   * @param {() => T} parse whatever it throws is refused
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
    throw new Error(`${file} cannot be simulated:\n${list}`);
  }

  return { refuse, warn, attempt, throwIfRefused, warnings };
}

/** @typedef {ReturnType<typeof createIssues>} Issues */
