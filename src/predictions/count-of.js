/** @param {number} count @param {string} one @param {string} many */
export function countOf(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}

/** @param {number} count */
export function countConnections(count) {
  return countOf(count, 'connection', 'connections');
}
