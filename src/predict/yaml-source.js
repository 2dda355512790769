import { LineCounter, isAlias, isCollection, isPair, parseDocument } from 'yaml';

/** @import { Pair } from 'yaml' */

/** @typedef {(string | number)[]} Path from the top of the file: ['config', 'phases', 0] */

/**
 * Parses YAML and remembers where things stood.
 *
 * @param {string} text
 * @param {string} file its name, for messages
 * @returns {{ value: any, lineAt: (path: Path) => number }} lineAt counts from 1; for a path that is not in
 *   the file it
 *   tells the line of what would hold it
 * @throws {Error} naming line and column, when the text is not YAML
 */
export function parseYaml(text, file) {
  const lines = new LineCounter();
  // Artillery's own parser knows merge keys (<<) as well.
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new Error(`${file}, line ${line}, column ${col}: ${error.message}`, { cause: error });
  }

  /** @param {Path} path */
  function lineAt(path) {
    /** @type {any} */
    let node = document.contents;
    let offset = node?.range?.[0] ?? 0;
    for (const key of path) {
      if (isAlias(node)) node = node.resolve(document);
      if (!isCollection(node)) break;
      const item = node.items.find((item, index) => (isPair(item) ? keyOf(item) : index) === key);
      if (!item) break;
      node = isPair(item) ? item.value : item;
      offset = (isPair(item) ? /** @type {any} */ (item.key) : node)?.range?.[0] ?? offset;
    }
    return lines.linePos(offset).line;
  }

  return { value: document.toJS(), lineAt };
}

/** @param {Pair} pair */
function keyOf(pair) {
  return /** @type {{ value?: unknown }} */ (pair.key)?.value;
}
