import { LineCounter, isAlias, isCollection, isPair, parseDocument } from 'yaml';

/** @import { Document, Pair } from 'yaml' */
/** @import { Script } from './workload.js' */

/** No scenario is nested this deep, and the stack can still hold it. */
const MAX_LEVELS = 100;
const TOO_DEEP = `it is nested deeper than ${MAX_LEVELS} levels, or an alias refers to its own parent`;

const SEVERAL = 'a second YAML document begins here, but a scenario has only one: remove the line --- and what follows';

/** @typedef {(string | number)[]} YamlPath from the top of the file: ['config', 'phases', 0] */

/**
 * @param {string} text
 * @param {string} file its name, for messages
 * @returns {Script} lines count from 1. For a path that is not in the file, it is the line of the nearest parent
 * @throws {Error} naming line and column, when the text is not YAML; naming the file, for a bad alias
 */
export function parseYaml(text, file) {
  const lines = new LineCounter();
  // Artillery's parser supports merge keys (<<), too.
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    const message = { RESOURCE_EXHAUSTION: TOO_DEEP, MULTIPLE_DOCS: SEVERAL }[String(error.code)] ?? error.message;
    throw new Error(`${file}, line ${line}, column ${col}: ${message}`, { cause: error });
  }

  /** @param {YamlPath} path */
  function placeAt(path) {
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
    return { line: lines.linePos(offset).line };
  }

  return { value: toValue(document, file), placeAt };
}

/** @param {Document} document @param {string} file */
function toValue(document, file) {
  try {
    const value = document.toJS();
    requireShallow(value);
    return value;
  } catch (cause) {
    throw new Error(`${file}: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/** @param {unknown} value @param {number} [levels] above it */
function requireShallow(value, levels = 0) {
  if (levels > MAX_LEVELS) throw new Error(TOO_DEEP);
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) requireShallow(inner, levels + 1);
}

/** @param {Pair} pair */
function keyOf(pair) {
  return /** @type {{ value?: unknown }} */ (pair.key)?.value;
}
