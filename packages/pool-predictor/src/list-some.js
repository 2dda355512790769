/** The first names of a list, and how many more there are. @param {string[]} names @param {number} max */
export function listSome(names, max) {
  const rest = names.length - max;
  return `${names.slice(0, max).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
