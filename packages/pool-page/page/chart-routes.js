import { rankRoutes } from '../universal/rank-routes.js';
import { kindOf } from '../universal/route-kinds.js';

/** @import { Second } from '../universal/feed-shapes.js' */
/** @import { RouteKinds } from '../universal/route-kinds.js' */
/** @import { Palette } from './palette.js' */

/**
 * @typedef {object} ChartRoute what the charts show as one
 * @property {string} label
 * @property {string[]} names of its routes
 * @property {keyof Palette} color
 */

const MAX_NAMED = 4;
/** The app gives this name to routes beyond its own limit. */
const OTHER = 'other';
/** As the vehicles. */
const COLORS = /** @type {const} */ ({ bus: 'measured-1', ferrari: 'measured-2' });
const MORE_COLORS = /** @type {const} */ (['measured-3', 'measured-4', 'measured-5']);

/**
 * The two routes that hold connections longest, all their requests together, the two of the others that wait longest,
 * and the one that came last; quick ones first, the rest as one. A route keeps its colour, unless it is the other
 * vehicle's: the first second may mislead.
 *
 * @param {Second[]} seconds
 * @param {RouteKinds} kinds
 * @param {ChartRoute[]} before
 * @returns {ChartRoute[]}
 */
export function chooseRoutes(seconds, kinds, before) {
  const uses = seconds.flatMap(({ routes }) => Object.entries(routes).map(([route, each]) => ({ ...each, route })));
  const names = rankRoutes(
    uses.filter(({ route }) => route !== OTHER),
    Object.keys(kinds.known),
  );
  // A single further route can have its own name.
  const last = names.length === MAX_NAMED + 1 ? names[MAX_NAMED] : findLast(seconds, names);
  const named = names.filter((name, index) => index < MAX_NAMED || name === last);
  const rest = [
    ...names.filter((name) => !named.includes(name)),
    ...(seconds.some(({ routes }) => routes[OTHER]) ? [OTHER] : []),
  ];
  const { useMs } = kinds;
  named.sort((a, b) => (useMs[a] ?? Infinity) - (useMs[b] ?? Infinity) || a.localeCompare(b));
  /** @param {string} name @returns {(keyof Palette)[]} */
  const colorsFor = (name) => [COLORS[kindOf(kinds, name)], ...MORE_COLORS];
  /** @type {Map<string, keyof Palette>} */
  const colors = new Map();
  for (const { label, color } of before)
    if (named.includes(label) && colorsFor(label).includes(color)) colors.set(label, color);
  for (const name of named) {
    const taken = new Set(colors.values());
    const color = colors.get(name) ?? colorsFor(name).find((each) => !taken.has(each));
    if (color) colors.set(name, color);
  }
  return [
    ...named.map((name) => ({ label: name, names: [name], color: colors.get(name) ?? 'muted' })),
    ...(rest.length > 0 ? [{ label: OTHER, names: rest, color: /** @type {const} */ ('published') }] : []),
  ];
}

const STORED = 'chart-routes';

/** Keeps the routes of this tab, so that colours stay when it is loaded again. @param {ChartRoute[]} routes */
export function rememberRoutes(routes) {
  const text = JSON.stringify(routes);
  try {
    if (sessionStorage.getItem(STORED) !== text) sessionStorage.setItem(STORED, text);
  } catch {
    // A browser may forbid it.
  }
}

/** @returns {ChartRoute[]} */
export function recallRoutes() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '[]');
  } catch {
    return [];
  }
}

/** The route that came last, if it was not there from the start. @param {Second[]} seconds @param {string[]} names */
function findLast(seconds, names) {
  const firsts = names.map((name) => seconds.findIndex(({ routes }) => routes[name]));
  const last = Math.max(0, ...firsts);
  return last === 0 ? undefined : names[firsts.indexOf(last)];
}
