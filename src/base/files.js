import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates a folder and those above it, unless they are there or another process is faster. Node's own `recursive: true`
 * never ends in /proc.
 * @param {string} folder
 */
export async function makeFolder(folder) {
  const parent = path.dirname(folder);
  const make = () =>
    mkdir(folder).catch(async (error) => {
      if (error.code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error;
    });
  await make().catch(async (error) => {
    if (error.code !== 'ENOENT' || parent === folder) throw error;
    await makeFolder(parent);
    await make();
  });
}

/**
 * Node's reason for a failure with a file, without the code, the system call and the path: the sentence around it names
 * the file.
 * @param {unknown} error such as `ENOENT: no such file or directory, open 'x'`
 */
export function reasonOf(error) {
  return /** @type {Error} */ (error).message.replace(/^E[A-Z]+: ([^,]+), \w+(?: '.*')?$/s, '$1');
}

/**
 * @param {string} place a file or folder
 * @param {string} option or setting that says where to write instead
 * @param {unknown} cause
 */
export function unwritable(place, option, cause) {
  return new Error(`${place} can't be written: ${reasonOf(cause)}. Choose another place with ${option}`, { cause });
}
