/**
 * The commands that a page of Markdown tells people to type. A command may be broken with \, and lines that begin with
 * # are what it prints.
 * @param {string} text
 * @returns {string[]} each in one line
 */
export function commandsOf(text) {
  return [...text.matchAll(/^```sh\n(.+?)^```/gms)].flatMap(([, block]) =>
    joinLines(block)
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('#')),
  );
}

/** The commands within the sentences of a page. @param {string} text @returns {string[]} */
export function commandsInText(text) {
  return [...text.matchAll(/`((?:[A-Z_]+=\S+ )*(?:npx|npm|node) [^`]+)`/g)].map(([, command]) => command);
}

/** A text with each command in one line. @param {string} text */
export function joinLines(text) {
  return text.replaceAll(/ \\\n\s*/g, ' ');
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
