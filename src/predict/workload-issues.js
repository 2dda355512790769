/**
 * @typedef {object} Issue
 * @property {number} line
 * @property {string} message
 */

/**
 * Collects what a scenario file asks for and cannot have, so that one reading names all of it.
 *
 * @param {(path: import('./yaml-source.js').Path) => number} lineAt
 */
export function createIssues(lineAt) {
  /** @type {Issue[]} */
  const refusals = [];
  /** @type {Issue[]} */
  const warnings = [];

  /** Something that would make every prediction wrong. @param {import('./yaml-source.js').Path} path @param {string} message */
  function refuse(path, message) {
    refusals.push({ line: lineAt(path), message });
  }

  /** Something that may matter. @param {import('./yaml-source.js').Path} path @param {string} message */
  function warn(path, message) {
    warnings.push({ line: lineAt(path), message });
  }

  /**
   * @template T
   * @param {import('./yaml-source.js').Path} path
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
    const lines = refusals.sort((a, b) => a.line - b.line).map(({ line, message }) => `  line ${line}: ${message}`);
    throw new Error(`${file} cannot be simulated:\n${lines.join('\n')}`);
  }

  return { refuse, warn, attempt, throwIfRefused, warnings };
}

/** @typedef {ReturnType<typeof createIssues>} Issues */
