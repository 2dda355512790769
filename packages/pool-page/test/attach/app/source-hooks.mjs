import { readFile } from 'node:fs/promises';

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (loaded.format !== 'commonjs' || !url.startsWith('file:')) return loaded;
  return { ...loaded, source: await readFile(new URL(url)) };
}
