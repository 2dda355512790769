import { readdir, readFile } from 'node:fs/promises';

const FOLDER = new URL('advice/', import.meta.url);

/** What to do about each cause: the text below the heading of its file. @returns {Promise<Record<string, string>>} */
export async function readAdvice() {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, FOLDER), 'utf8')));
  return Object.fromEntries(
    files.map((name, index) => [
      name.replace(/\.md$/, ''),
      texts[index].replace(/^#.*$/m, '').replace(/\s+/g, ' ').trim(),
    ]),
  );
}
