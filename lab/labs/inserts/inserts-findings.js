import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { addReason, compareRates, ratioOf } from '../../report/findings.js';
import { chooseInstance } from './inserts-published.js';

/** @import { Finding } from '../../report/result-types.js' */
/** @import { InsertsFigures, InsertsResult, InsertsVariant } from './inserts-view.js' */

/**
 * What the article compares, and why it is less or more here.
 * @type {[more: string, less: string, reasons: (more: InsertsVariant) => Parameters<typeof addReason>[1]][]}
 */
const COMPARED = [
  [
    '1/100',
    '1/1',
    () => ({
      less: () =>
        "mgo sends the next insert before the last one is answered; today's driver waits for the answer, so one " +
        'connection carries one insert at a time.',
    }),
  ],
  [
    '100/100',
    '1/1',
    ({ measured, published }) => ({
      less: () =>
        `There, client and server had ${nameCores(published?.cores ?? 0)} each, and Go can use all of them; here one ` +
        `Node.js process sends everything, and used ${formatNumber(measured?.cpuPercent ?? 0)} % of a core for it.`,
    }),
  ],
  [
    '100/100',
    '1/100',
    () => ({
      more: () =>
        `mgo keeps one connection full, so on 1 core a hundred only cost (${describeGain(1)}), and on 8 cores they ` +
        `help (${describeGain(8)}); today's driver needs a connection for each insert at a time.`,
    }),
  ],
  [
    '100/10000',
    '100/100',
    () => ({
      more: () => '100 connections carry 100 inserts at a time. The other inserters wait for one, which costs little.',
    }),
  ],
];

/** What a hundred sessions gained over one in the article. @param {number} cores of the server */
function describeGain(cores) {
  const { ratesPerSec } = chooseInstance(cores);
  return formatNumber(ratesPerSec['100/100'] / ratesPerSec['1/100'], 2);
}

/** @param {InsertsResult} result @returns {Finding[]} */
export function findInsertsFindings(result) {
  const limits = [...new Set(result.variants.map(({ settings }) => settings.serverCores))];
  const workloads = [...new Set(result.variants.map(({ settings }) => settings.workload))];
  return [
    ...limits.flatMap((cores) => {
      const pick = (/** @type {string} */ workload, way = 'plain') => findCase(result, { workload, way, cores });
      const end = describeCores(cores);
      return [
        ...COMPARED.flatMap(([more, less, reasons]) =>
          compare(`${more} / ${less}, plain${end}`, pick(more), pick(less), reasons),
        ),
        ...workloads.flatMap((workload) =>
          compare(`${workload}: gathered / plain${end}`, pick(workload, 'gathered'), pick(workload)),
        ),
      ];
    }),
    ...result.variants.flatMap((variant) => compareLimits(variant, limits[0], result)),
    ...result.variants.flatMap((variant) => compareIndexes(variant, result)),
    ...result.variants.slice(-1).flatMap(compareSizes),
  ];
}

/**
 * @param {InsertsVariant} variant
 * @param {number | undefined} first limit of the server's cores
 * @param {InsertsResult} result
 * @returns {Finding[]} if it has another
 */
function compareLimits(variant, first, result) {
  const { workload, way, indexes, serverCores } = variant.settings;
  if (!first || !serverCores || indexes || serverCores === first) return [];
  const claim = `${workload} ${way}: ${nameCores(serverCores)} / ${nameCores(first)} of the server`;
  return compare(claim, variant, findCase(result, { workload, way, cores: first }));
}

/** @param {InsertsVariant} variant @param {InsertsResult} result @returns {Finding[]} if it has more indexes */
function compareIndexes(variant, result) {
  const { workload, way, indexes, serverCores } = variant.settings;
  if (!indexes) return [];
  const claim = `${variant.name} / without (article: a few percent less)`;
  return compare(claim, variant, findCase(result, { workload, way, cores: serverCores }));
}

/** Documents of the same content are as large in each variant. @param {InsertsVariant} variant @returns {Finding[]} */
function compareSizes({ measured }) {
  const share = diskShareOf(measured);
  const claim = 'on disk / as sent, with snappy (article: "about 30 %" compressed)';
  return share ? [{ claim, measured: share, published: null }] : [];
}

/**
 * @param {string} claim
 * @param {InsertsVariant | undefined} more
 * @param {InsertsVariant | undefined} less
 * @param {(more: InsertsVariant) => Parameters<typeof addReason>[1]} [reasons]
 * @returns {Finding[]} none if one of them was not measured
 */
function compare(claim, more, less, reasons) {
  if (!more?.measured || !less?.measured) return [];
  return [addReason(compareRates(claim, more, less), reasons?.(more))];
}

/** @param {InsertsFigures | null} measured */
export function diskShareOf(measured) {
  return ratioOf(measured?.diskMB, measured?.dataMB);
}

/**
 * @param {InsertsResult} result
 * @param {{ workload: string, way: string, cores?: number }} wanted without more indexes
 */
export function findCase({ variants }, { workload, way, cores }) {
  return variants.find(
    ({ settings }) =>
      settings.workload === workload && settings.way === way && settings.serverCores === cores && !settings.indexes,
  );
}

/** @param {number} cores */
export function nameCores(cores) {
  return cores === 1 ? '1 core' : `${cores} cores`;
}

/** @param {number} [cores] */
export function describeCores(cores) {
  return cores ? `, ${nameCores(cores)}` : '';
}

/** @param {number} [indexes] */
export function describeIndexes(indexes) {
  return indexes ? `, ${indexes} more ${indexes === 1 ? 'index' : 'indexes'}` : '';
}
