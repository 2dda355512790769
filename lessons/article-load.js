/** @import { SavedResult } from '../lab/workshop/lesson-types.js' */

/** How long the article's slow query takes. */
const SLOW_MS = 5000;

/**
 * Whether a run had the article's load, all ten requests of it, and an app with one pool for both routes.
 * @param {SavedResult} run
 * @param {{ slowMs?: number, poolTimeout?: number }} [options] poolTimeout: of the app, in ms; default none
 */
export function hasArticleLoad({ settings }, { slowMs = SLOW_MS, poolTimeout } = {}) {
  return (
    String(settings.scenario).endsWith('loadtests/mixed.yaml') &&
    !settings.environment &&
    settings.slowQuery !== 'work' &&
    settings.driver !== '3' &&
    settings.slowMs === slowMs &&
    settings.poolTimeout === poolTimeout &&
    !settings.slowPoolSize &&
    !settings.slowConcurrency
  );
}
