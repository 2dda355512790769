// Generates the types of a package from its docstrings into types/. With --remove it deletes them. npm runs this in the
// package before and after packing: leftover types would hide the source from editors. Sources that only have types stay out
// of the package. The docstrings stay in the sources: a second copy would make the monitor a fifth larger.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const COMPILER = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = Object.values(exports).flatMap((entry) => (entry.types ? [path.normalize(entry.default)] : []));

rmSync('types', { recursive: true, force: true });
if (!process.argv.includes('--remove')) {
  execFileSync(process.execPath, [
    COMPILER, '--ignoreConfig', '--allowJs', '--checkJs', '--strict', '--skipLibCheck', '--module', 'nodenext',
    '--target', 'es2023', '--types', 'node', '--declaration', '--removeComments', '--emitDeclarationOnly', '--rootDir', 'src',
    '--outDir', 'types', ...entries,
  ], { stdio: 'inherit' });
  keepUsed();
}

/** One line for all types that come from one file, and no margins. @param {string} text */
function shorten(text) {
  /** @type {Map<string, string[]>} */
  const passedOn = new Map();
  const rest = text.replace(/^export type (\w+) = import\('(.+)'\)\.\1;\n/gm, (_, name, file) => {
    passedOn.set(file, [...passedOn.get(file) ?? [], name]);
    return '';
  });
  const lines = [...passedOn].map(([file, names]) => `export type { ${names.join(', ')} } from '${file}';\n`);
  return rest.replace(/^ +/gm, '') + lines.join('');
}

/** The compiler writes types for every module, also for those that no user can see, and takes much room. */
function keepUsed() {
  const used = new Set();
  const visit = (/** @type {string} */ file) => {
    if (used.has(file)) return;
    used.add(file);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, shorten(text));
    for (const [, from] of text.matchAll(/'(\.{1,2}\/[^']+)\.js'/g)) visit(`${path.join(path.dirname(file), from)}.d.ts`);
  };
  for (const entry of entries) visit(path.join('types', path.relative('src', entry)).replace(/\.js$/, '.d.ts'));
  for (const name of readdirSync('types', { recursive: true, encoding: 'utf8' })) {
    const file = path.join('types', name);
    if (name.endsWith('.d.ts') && !used.has(file)) rmSync(file);
  }
}
