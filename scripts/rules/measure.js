// Measures some of the loads at the sizes that the rules give, on a real app and MongoDB.
import { readTrace } from 'mongodb-pool-predictor/node';
import { SECONDS } from '../../benchmarks/predicted-vs-measured/apps.js';
import { isAlike, measureRoutes } from '../../benchmarks/predicted-vs-measured/measure-routes.js';
import { KINDS, recordKinds } from '../../benchmarks/predicted-vs-measured/recorded-loads.js';
import { fileOf, nameOf } from './loads.js';

/** @import { PartContext } from '../../benchmarks/parts/run-parts.js' */
/** @import { Row } from './trial.js' */

/** Loads of the corpus that can be sent again. */
const MEASURED = ['one query', 'sequential queries', 'slow beside fast', 'callers who think', 'populate', 'waves'];
/** Sizes of each, the smallest first: with more connections than are in use at once, all sizes do the same. */
const SIZES = 8;

/**
 * @param {Row[]} rows
 * @param {Pick<PartContext, 'settings' | 'signal' | 'say' | 'folder'>} context
 * @returns {Promise<(load: string, size: number | null) => number | null>} the measured p95 of a load's route, in ms;
 *   null where it was not measured, or where queries took longer or shorter than in the recording, as apps.js says
 */
export async function measureSizes(rows, context) {
  /** @type {Map<string, number>} */
  const measured = new Map();
  for (const kind of MEASURED) {
    const load = nameOf(kind);
    const own = rows.filter((row) => row.load === load && row.size !== null);
    const sizes = [...new Set(own.map(({ size }) => Number(size)))].sort((a, b) => a - b).slice(0, SIZES);
    const files = await recordKinds(context, { kinds: { [kind]: KINDS[kind] }, pools: sizes, seconds: SECONDS });
    const recorded = measureRoutes(await readTrace(fileOf(kind)));
    for (const size of sizes) {
      const routes = measureRoutes(await readTrace(files[kind][size]));
      if (isAlike(recorded, routes)) measured.set(`${load} ${size}`, routes[own[0].route].p95Ms);
      else context.say(`${kind}, pool ${size}: not compared, because its queries took longer or shorter than recorded`);
    }
  }
  return (load, size) => measured.get(`${load} ${size}`) ?? null;
}
