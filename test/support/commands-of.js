/** The commands that a page of Markdown tells people to type. @param {string} text @returns {string[]} */
export function commandsOf(text) {
  return [...text.matchAll(/^```sh\n(.+?)^```/gms)].flatMap(([, block]) => block.trim().split('\n'));
}
