/** How much room a waiting vehicle takes, in px; the style sheet has the same sizes. */
const SIZES = { large: { width: 150, height: 116 }, small: { width: 72, height: 58 } };

/**
 * How many of the waiting fit: large ones if all of them do, else small ones. The last place is for the rest.
 * @param {number} waiting
 * @param {number} listed those that the app tells one by one
 * @param {number} width in px
 * @param {number} height in px
 * @returns {{ size: 'large' | 'small', shown: number, more: number }}
 */
export function fitQueue(waiting, listed, width, height) {
  const large = countPlaces(SIZES.large, width, height);
  if (waiting <= large && listed >= waiting) return { size: 'large', shown: waiting, more: 0 };
  const places = countPlaces(SIZES.small, width, height);
  const shown = Math.min(listed, waiting <= places ? waiting : Math.max(places - 1, 0));
  return { size: 'small', shown, more: waiting - shown };
}

/**
 * @param {{ width: number, height: number }} size
 * @param {number} width
 * @param {number} height
 */
function countPlaces(size, width, height) {
  return Math.max(1, Math.floor(width / size.width)) * Math.max(1, Math.floor(height / size.height));
}
