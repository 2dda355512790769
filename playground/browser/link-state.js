/**
 * What a link says: `#one-lane?bus=3&guess=12`, or `#one-lane?embed&bus=3` for one screen alone.
 *
 * @typedef {{ id: string, isEmbedded: boolean, values: Record<string, string> }} LinkState
 */

/** @param {string} hash of the location @returns {LinkState} */
export function parseLink(hash) {
  const [id, query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const { embed, ...values } = Object.fromEntries(new URLSearchParams(query));
  return { id, isEmbedded: embed !== undefined, values };
}

/** @param {LinkState} state @returns {string} */
export function formatLink({ id, isEmbedded, values }) {
  const query = [...(isEmbedded ? ['embed'] : []), ...[new URLSearchParams(values).toString()].filter(Boolean)].join(
    '&',
  );
  return `#${id}${query && `?${query}`}`;
}
