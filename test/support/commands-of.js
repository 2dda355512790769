/** The commands that a page of Markdown tells people to type. @param {string} text @returns {string[]} */
export function commandsOf(text) {
  return [...text.matchAll(/^```sh\n(.+?)^```/gms)].flatMap(([, block]) => block.trim().split('\n'));
}

/**
 * The commands in the rows of a page of docs/experiments/, which leave out `npx pool-lab`.
 * @param {string} text
 * @returns {string[]} as typed
 */
export function commandsInRows(text) {
  return [...text.matchAll(/`((?:run|sweep|predict|advise|replicate|workshop) [^`]+)`/g)]
    .map(([, command]) => `npx pool-lab ${command}`)
    .filter((command) => !/\b[A-Z]{3,}\b/.test(command));
}
