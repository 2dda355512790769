import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import path from 'node:path';

const STATIC = /^(?:import|export)\s[^;]*?from '([^']+)'|^import '([^']+)'/gm;
/** Forked files, and packages whose files are served or loaded when they are needed. `import()` is not among them. */
const ON_DEMAND = /new URL\('([^']+\.js)', import\.meta\.url\)|resolve\('([^']+)'\)/g;

/**
 * Follows the imports of a file.
 * @param {string} entry
 * @param {{ onDemand?: boolean }} [options] onDemand: also follow what is forked or resolved later
 * @returns {Promise<{ files: string[], packages: string[] }>} sorted
 */
export async function listReached(entry, { onDemand = false } = {}) {
  const files = new Set([path.normalize(entry)]);
  const packages = new Set();
  for (const file of files) {
    const code = await readFile(file, 'utf8');
    for (const [match, one, other] of [...code.matchAll(STATIC), ...(onDemand ? code.matchAll(ON_DEMAND) : [])]) {
      const specifier = one ?? other;
      if (match.startsWith('new URL') || specifier.startsWith('.')) files.add(path.join(path.dirname(file), specifier));
      else if (!specifier.startsWith('node:') && !builtinModules.includes(specifier)) packages.add(nameOf(specifier));
    }
  }
  return { files: [...files].sort(), packages: [...packages].sort() };
}

/** @param {string} specifier such as `@scope/name/file` */
function nameOf(specifier) {
  return specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}
