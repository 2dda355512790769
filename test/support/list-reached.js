import { readFile, realpath } from 'node:fs/promises';
import { builtinModules, createRequire } from 'node:module';
import path from 'node:path';

const STATIC = /^(?:import|export)\s[^;]*?from '([^']+)'|^import '([^']+)'/gm;
/** Forked files, and packages whose files are served or loaded when they are needed. `import()` is not among them. */
const ON_DEMAND = /new URL\('([^']+\.js)', import\.meta\.url\)|resolve\('([^']+)'\)/g;

/**
 * Follows the imports of a file, also into our own packages.
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
      else if (!specifier.startsWith('node:') && !builtinModules.includes(specifier)) {
        packages.add(nameOf(specifier));
        const own = await findOwn(specifier);
        if (own) files.add(own);
      }
    }
  }
  return { files: [...files].sort(), packages: [...packages].sort() };
}

/** @param {string} specifier such as `@scope/name/file` */
function nameOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** @param {string} specifier @returns {Promise<string | null>} the file, if it is in `packages/` */
async function findOwn(specifier) {
  if (!(await realpath(path.join('node_modules', nameOf(specifier)))).startsWith(path.resolve('packages'))) return null;
  return path.relative('', createRequire(path.resolve('package.json')).resolve(specifier));
}
