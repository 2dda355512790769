import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What the pictures show, and how they are taken. */
const SOURCES = [
  'packages/pool-page/page',
  'packages/pool-page/universal',
  'src/live/browser',
  'lab/report',
  'lab/labs/mixed',
  'scripts/pictures',
];

/** @returns {Promise<string>} of all sources; comments and the layout of the code do not count */
export async function hashSources() {
  const folders = SOURCES.map((folder) => readdir(path.join(ROOT, folder), { recursive: true, withFileTypes: true }));
  const entries = (await Promise.all(folders)).flat().filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => path.join(parentPath, name)).sort();
  const hash = createHash('sha256');
  for (const text of await Promise.all(files.map(readCode))) hash.update(text);
  return hash.digest('hex');
}

/** @param {string} file */
async function readCode(file) {
  const text = await readFile(file, 'utf8');
  const [, kind] = /\.(js|css)$/.exec(file) ?? [];
  if (kind === undefined) return text;
  const { code } = await transform(text, {
    loader: /** @type {'js' | 'css'} */ (kind),
    minifyWhitespace: true,
    legalComments: 'none',
  });
  return code;
}
