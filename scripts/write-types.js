// Generates the types of a package from its docstrings into types/. With --remove it deletes them. npm runs this in the
// package before and after packing: leftover types would hide the source from editors.
// Sources that only have types stay out of the package. The docstrings stay in the sources: a second copy would make
// the monitor a fifth larger.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const COMPILER = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

const { exports, dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
const COMMON = ['--ignoreConfig', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
const entries = Object.values(exports).flatMap((entry) => (entry.types ? [path.normalize(entry.default)] : []));

/** Where the sources lie: in src/, or also beside it, which the places of the types show. */
const ROOT = Object.values(exports).some(({ types }) => types?.startsWith('./types/src/')) ? '.' : 'src';

rmSync('types', { recursive: true, force: true });
if (!process.argv.includes('--remove')) {
  // Without the types of our own packages, the compiler would take their sources for parts of this one.
  for (const folder of dependencyFolders()) execFileSync(process.execPath, [process.argv[1]], { cwd: folder });
  try {
    compile(
      '--allowJs',
      '--checkJs',
      '--skipLibCheck',
      '--declaration',
      '--removeComments',
      '--emitDeclarationOnly',
      '--rootDir',
      ROOT,
      '--outDir',
      'types',
      ...entries,
    );
    keepUsed();
    // What is left must be whole.
    compile('--noEmit', ...entries.map(typesOf));
  } finally {
    for (const folder of dependencyFolders())
      execFileSync(process.execPath, [process.argv[1], '--remove'], { cwd: folder });
  }
}

/** Those in this repository. @returns {string[]} */
function dependencyFolders() {
  return Object.keys(dependencies)
    .map((name) => realpathSync(path.join('../../node_modules', name)))
    .filter((folder) => !folder.includes('node_modules'));
}

/** @param {string[]} args */
function compile(...args) {
  execFileSync(process.execPath, [COMPILER, ...COMMON, ...args], { stdio: 'inherit' });
}

/** @param {string} entry */
function typesOf(entry) {
  return path.join('types', path.relative(ROOT, entry)).replace(/\.js$/, '.d.ts');
}

/**
 * One line for all types that come from one file, no margins, and no `declare`: all is declared here.
 * @param {string} text
 */
function shorten(text) {
  /** @type {Map<string, string[]>} */
  const passedOn = new Map();
  const rest = text.replace(/^export type (\w+) = import\('(.+)'\)\.\1;\n/gm, (_, name, file) => {
    passedOn.set(file, [...(passedOn.get(file) ?? []), name]);
    return '';
  });
  const lines = [...passedOn].map(([file, names]) => {
    const list = `{ ${names.join(', ')} }`;
    const isUsed = names.some((name) => new RegExp(`\\b${name}\\b`).test(rest));
    return isUsed
      ? `import type ${list} from '${file}';\nexport type ${list};\n`
      : `export type ${list} from '${file}';\n`;
  });
  return rest.replace(/^ +/gm, '').replace(/^export declare /gm, 'export ') + lines.join('');
}

/** The compiler writes types for every module, also for those that no user can see, and takes much room. */
function keepUsed() {
  const used = new Set();
  const visit = (/** @type {string} */ file) => {
    if (used.has(file)) return;
    used.add(file);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, shorten(text));
    for (const [, from] of text.matchAll(/['"](\.{1,2}\/[^'"]+)\.js['"]/g))
      visit(`${path.join(path.dirname(file), from)}.d.ts`);
  };
  for (const entry of entries) visit(typesOf(entry));
  for (const name of readdirSync('types', { recursive: true, encoding: 'utf8' })) {
    const file = path.join('types', name);
    if (name.endsWith('.d.ts') && !used.has(file)) rmSync(file);
  }
}
