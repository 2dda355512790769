/**
 * Node's reason for a failure with a file, without the code, the system call and the path: the sentence around it names the file.
 * @param {unknown} error such as `ENOENT: no such file or directory, open 'x'`
 */
export function reasonOf(error) {
  return /** @type {Error} */ (error).message.replace(/^E[A-Z]+: ([^,]+), \w+(?: '.*')?$/s, '$1');
}
