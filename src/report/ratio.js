/**
 * @param {number | null | undefined} one
 * @param {number | null | undefined} other
 * @returns {number | null} one / other; null where either is missing
 */
export function ratioOf(one, other) {
  return typeof one === 'number' && typeof other === 'number' ? one / other : null;
}
