// Copies what the command `mongodb-pool-monitor` needs into packages/pool-monitor/watch/: its modules, at the same
// places as here, and in node_modules/ the packages that these import. npm runs this in the package before packing, so
// that the tarball needs nothing else, and with --remove after it.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TARGET = path.join(ROOT, 'packages/pool-monitor/watch');
const ENTRY = 'lab/cli/watch-alone.js';
/** What is needed of each package. The page loads uPlot's script, and finds its folder by its main module. */
const PACKAGES = {
  commander: ['LICENSE', 'package.json', 'esm.mjs', 'index.js', 'lib'],
  'mongodb-pool-page': ['LICENSE', 'package.json', 'page', 'src', 'universal'],
  'mongodb-pool-predictor': ['LICENSE', 'package.json', 'src'],
  yaml: ['LICENSE', 'package.json', 'dist'],
  uplot: ['LICENSE', 'package.json', 'dist/uPlot.cjs.js', 'dist/uPlot.iife.min.js'],
};

rmSync(TARGET, { recursive: true, force: true });
if (!process.argv.includes('--remove')) {
  const { modules, packages } = await findModules([ENTRY]);
  for (const file of modules) copy(file, file);
  const missing = packages.filter((name) => name !== 'mongodb-pool-monitor' && !Object.hasOwn(PACKAGES, name));
  if (missing.length > 0)
    throw new Error(`${ENTRY} imports ${missing.join(', ')}: name what is needed in ${import.meta.url}`);
  for (const [name, files] of Object.entries(PACKAGES))
    for (const file of files) copy(`node_modules/${name}/${file}`, `node_modules/${name}/${file}`);
  chmodSync(path.join(TARGET, ENTRY), 0o755);
}

/** @param {string} from in the repository @param {string} to in the target */
function copy(from, to) {
  const target = path.join(TARGET, to);
  mkdirSync(path.dirname(target), { recursive: true });
  cpSync(path.join(ROOT, from), target, { recursive: true, dereference: true });
}

/**
 * Finds the modules that others import, and the files that they find beside themselves.
 *
 * @param {string[]} entries
 * @returns {Promise<{ modules: string[], packages: string[] }>} packages that they import
 */
async function findModules(entries) {
  const { metafile } = await build({
    ...{ entryPoints: entries, bundle: true, packages: 'external', platform: 'node', format: 'esm', metafile: true },
    ...{ write: false, outdir: TARGET, absWorkingDir: ROOT, logLevel: 'error' },
  });
  const modules = Object.keys(metafile.inputs);
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  const packages = imported.map(({ path: name }) => name.split('/')[0]).filter((name) => !name.startsWith('node:'));
  const beside = modules.flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/new URL\('([^']+)', import\.meta\.url\)/g)].map(
      ([, name]) => path.join(path.dirname(file), name),
    ),
  );
  const others = beside.filter((file) => !modules.includes(file));
  const scripts = others.filter((file) => file.endsWith('.js') && statSync(path.join(ROOT, file)).isFile());
  const further = scripts.length > 0 ? await findModules(scripts) : { modules: [], packages: [] };
  return {
    modules: [...new Set([...modules, ...others, ...further.modules])],
    packages: [...new Set([...packages, ...further.packages])],
  };
}
