// Generates the types of a package from its docstrings into types/. With --remove it deletes them. npm runs this in the
// package before and after packing: leftover types would hide the source from editors. The docstrings stay in the sources: a
// second copy would make the monitor a fifth larger.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const COMPILER = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = Object.values(exports).flatMap((entry) => (entry.types ? [entry.default] : []));

rmSync('types', { recursive: true, force: true });
if (!process.argv.includes('--remove')) execFileSync(process.execPath, [
  COMPILER, '--ignoreConfig', '--allowJs', '--checkJs', '--strict', '--skipLibCheck', '--module', 'nodenext',
  '--target', 'es2023', '--types', 'node', '--declaration', '--removeComments', '--emitDeclarationOnly', '--rootDir', 'src',
  '--outDir', 'types', ...entries,
], { stdio: 'inherit' });
