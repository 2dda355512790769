// Builds the playground from playground/ as index.html. An argument names the folder; default: dist/playground.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage } from '../playground/build-page.js';

const folder = path.resolve(process.argv[2] ?? fileURLToPath(new URL('../dist/playground', import.meta.url)));
const file = path.join(folder, 'index.html');
await mkdir(folder, { recursive: true });
await writeFile(file, await buildPage());
process.stdout.write(`${file}\n`);
