// Kinds of load on a plain app that knows nothing of the lab (doctor/app.js), under attach: recorded at one pool size
// and predicted at others, as `record` and `predict --trace` do. What was recorded at a size is the measurement that
// predictions for it are compared with: mean, p50 and p95 of the requests of each route, as the app saw them, from 20
// requests on.
//
// Rules, fixed before measuring:
// - Each kind runs for 8 s at 1, 2, 4, 8 and 16 connections (--quick: for 4 s at 2, 4 and 8). It is recorded at 2 and
//   at 8, and each recording predicts the other sizes.
// - On a busy machine the same query takes longer at one moment than at another, and no model of a pool knows that. Two
//   recordings are compared only if the mean use of each route's queries differs by less than 25 % (CPU-bound: by any
//   factor, because there the pool size changes it).
// - A figure is said with confidence unless judgeTrust withholds it (the check fails; the server is unknown; it is not
//   a median, nobody waited, and the recording does not show all that matters either; or its band allows × 2), or two
//   readings differ by more than 15 %.
// - Of these, at least 80 % are within 15 % or 5 ms, at least 85 % in their 90 % band, and none is off by more than × 2
//   (and 5 ms).
// - At most 25 % of all figures are not said with confidence.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import {
  checkRecording,
  createRandom,
  judgeTrust,
  openRecording,
  pickPool,
  predict,
  summariseTrace,
} from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { mean } from '../../lab/base/statistics.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { recordCase } from '../doctor/run-case.js';

/** @import { RecordedTrace } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { Case, InjectedLoad } from '../doctor/cases.js' */
/** @import { PartContext } from '../parts/run-parts.js' */

const POOLS = [1, 2, 4, 8, 16];
const QUICK_POOLS = [2, 4, 8];
const RECORDED = [2, 8];
const [SECONDS, QUICK_SECONDS] = [8, 4];
const FIGURES = /** @type {const} */ (['meanMs', 'p50Ms', 'p95Ms']);
/** With fewer requests, a percentile is chance. */
const MIN_REQUESTS = 20;
const SEEDS = 19;
const ALIKE = 1.25;
const CPU_BOUND = 'CPU-bound';
const ALLOWED = { share: 0.15, ms: 5, ratio: 2 };
const WANTED = { close: 80, inBand: 85, withheld: 25 };

/** @param {string} route @param {number} ratePerSec @param {Partial<InjectedLoad>} [more] @returns {InjectedLoad} */
const open = (route, ratePerSec, more) => ({ route, ratePerSec, callers: 0, thinkMs: 0, isOpen: true, ...more });
/** @param {string} route @param {number} callers @param {number} thinkMs @returns {InjectedLoad} */
const closed = (route, callers, thinkMs) => ({ route, ratePerSec: 0, callers, thinkMs, isOpen: false });

/** @type {Record<string, { routes: Record<string, [string, number][]>, load: InjectedLoad[] }>} */
const KINDS = {
  'one query': { routes: { '/a': [['hold', 20]] }, load: [open('/a', 60)] },
  'sequential queries': {
    routes: {
      '/a': [
        ['hold', 20],
        ['elsewhere', 5],
        ['hold', 10],
      ],
    },
    load: [open('/a', 45)],
  },
  'parallel queries': {
    routes: {
      '/a': [
        ['hold', 5],
        ['atOnce', 3],
      ],
    },
    load: [open('/a', 20)],
  },
  'find with getMore': {
    routes: { '/a': [['batches', 3]], '/fast': [['find', 1]] },
    load: [open('/a', 25), open('/fast', 40)],
  },
  'callers alone': { routes: { '/a': [['hold', 20]] }, load: [closed('/a', 12, 1)] },
  'callers who think': {
    routes: {
      '/a': [
        ['hold', 15],
        ['hold', 5],
      ],
    },
    load: [closed('/a', 10, 40)],
  },
  'callers beside open traffic': {
    routes: { '/a': [['hold', 20]], '/b': [['hold', 10]] },
    load: [closed('/a', 6, 40), open('/b', 30)],
  },
  [CPU_BOUND]: {
    routes: { '/a': [['compute', 8]], '/fast': [['find', 1]] },
    load: [open('/a', 25), open('/fast', 30)],
  },
  waves: { routes: { '/a': [['hold', 20]] }, load: [open('/a', 60, { periodMs: 2000 })] },
};

/**
 * @typedef {object} Figure
 * @property {string} kind
 * @property {number} from recorded size
 * @property {number} to
 * @property {string | null} why it is not said with confidence
 * @property {number} measuredMs
 * @property {number} predictedMs
 * @property {boolean} isInBand
 */

export const PART = {
  name: 'apps',
  about: 'kinds of load on a plain app under attach, from a recording at another pool size (7 minutes; --quick: 3)',
  /** @param {PartContext} context */
  async run({ settings, signal, say, isQuick }) {
    const [pools, seconds] = isQuick ? [QUICK_POOLS, QUICK_SECONDS] : [POOLS, SECONDS];
    const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-apps-'));
    const mongo = await startEmbeddedMongo({ ...settings, searchPath: String(process.env.PATH), signal, report: say });
    /** @type {Figure[]} */
    const figures = [];
    try {
      const client = await MongoClient.connect(mongo.url);
      await client.db('doctor').collection('articles').insertOne({ title: 'one' });
      await client
        .db('doctor')
        .collection('pages')
        .insertMany(Array.from({ length: 12 }, (_, page) => ({ page })));
      await client.close();
      const mongoPort = Number(new URL(mongo.url.replace('mongodb:', 'http:')).port);
      for (const [kind, { routes, load }] of Object.entries(KINDS)) {
        /** @type {Record<number, RecordedTrace>} */
        const recorded = {};
        for (const pool of pools) {
          say(`${kind}, pool ${pool}, load average ${os.loadavg()[0].toFixed(1)}`);
          const injected = /** @type {Case} */ ({
            app: {
              options: { maxPoolSize: pool },
              routes: Object.fromEntries(Object.entries(routes).map(([route, steps]) => [route, { steps }])),
            },
            load,
            seconds,
          });
          const name = `${kind.replaceAll(' ', '-')}-${pool}`;
          // The same arrivals at each size.
          const random = createRandom(1, kind).uniform;
          const isOpen = true;
          recorded[pool] = await readTrace(
            await recordCase(injected, { mongoPort, isOpen, random, folder, name, signal }),
          );
        }
        for (const from of RECORDED) figures.push(...(await predictFrom(kind, from, recorded)));
      }
    } finally {
      await mongo.stop();
      await rm(folder, { recursive: true });
    }
    return judge(figures);
  },
};

/**
 * @param {string} kind
 * @param {number} from
 * @param {Record<number, RecordedTrace>} recorded by size
 * @returns {Promise<Figure[]>}
 */
export async function predictFrom(kind, from, recorded) {
  const input = openRecording([recorded[from]]);
  const poolSizes = Object.keys(recorded)
    .map(Number)
    .filter((size) => size !== from);
  const { load, overhead } = input;
  const { services } = load;
  const check = await checkRecording(input);
  const trust = judgeTrust(input, check);
  const predictOn = (/** @type {typeof load} */ one) =>
    predict({ load: one, services, overhead, poolSizes, seeds: SEEDS, widenBy: trust.widenBy });
  const { variants } = await predictOn(load);
  const readings = load.otherwise && (await predictOn(load.otherwise)).variants;
  /** @param {number} index of the size @param {string} route @param {typeof FIGURES[number]} name */
  const whyOf = (index, route, name) => {
    const { routes, low, high } = variants[index].predicted;
    const [ms, lowMs, highMs] = [routes, low?.routes, high?.routes].map((each) => each?.[route][name]);
    const why = trust.whyUnsure({ name, poolSize: poolSizes[index], ms: Number(ms), lowMs, highMs });
    const otherMs = readings?.[index].predicted.routes[route]?.[name] ?? Number(ms);
    return why ?? (Math.abs(otherMs - Number(ms)) > ALLOWED.share * Number(ms) ? 'twoReadings' : null);
  };
  return variants.flatMap(({ settings: { poolSize }, predicted }, index) => {
    const other = pickPool(recorded[poolSize]).trace;
    if (kind !== CPU_BOUND && !isAlike(input.trace, other)) return [];
    const measured = summariseTrace(other);
    return Object.entries(measured.routes)
      .filter(([route, { count }]) => count >= MIN_REQUESTS && predicted.routes[route])
      .flatMap(([route, figuresOf]) =>
        FIGURES.map((figure) => ({
          kind,
          from,
          to: poolSize,
          why: whyOf(index, route, figure),
          measuredMs: figuresOf[figure],
          predictedMs: predicted.routes[route][figure],
          isInBand:
            figuresOf[figure] >= Number(predicted.low?.routes[route][figure]) &&
            figuresOf[figure] <= Number(predicted.high?.routes[route][figure]),
        })),
      );
  });
}

/** Whether the queries of two recordings took equally long. @param {Trace} one @param {Trace} other */
function isAlike(one, other) {
  const [ofOne, ofOther] = [one, other].map(meanUses);
  return Object.keys(ofOne).every((route) => {
    const ratio = ofOther[route] / ofOne[route];
    return ratio < ALIKE && ratio > 1 / ALIKE;
  });
}

/** @param {Trace} trace @returns {Record<string, number>} ms by route */
function meanUses({ routes, routeOf, useMs }) {
  return Object.fromEntries(
    routes.map((route, index) => [route, mean(Array.from(useMs).filter((_, row) => routeOf[row] === index))]),
  );
}

/** @param {Figure} figure */
function isClose({ measuredMs, predictedMs }) {
  return Math.abs(predictedMs - measuredMs) <= Math.max(ALLOWED.share * measuredMs, ALLOWED.ms);
}

/** @param {Figure} figure */
function isFar({ measuredMs, predictedMs }) {
  const ratio = Math.max(predictedMs / measuredMs, measuredMs / predictedMs);
  return ratio > ALLOWED.ratio && Math.abs(predictedMs - measuredMs) > ALLOWED.ms;
}

/** @param {Figure[]} figures @param {(figure: Figure) => boolean} is */
const shareOf = (figures, is) => (figures.length === 0 ? NaN : (100 * figures.filter(is).length) / figures.length);

/** @param {Figure[]} figures */
export function judge(figures) {
  const describe = (/** @type {Figure[]} */ some) => {
    const said = some.filter(({ why }) => why === null);
    return {
      figures: some.length,
      'withheld, %': Math.round(shareOf(some, ({ why }) => why !== null)),
      'within 15 %': Math.round(shareOf(said, isClose)),
      'in band, %': Math.round(shareOf(said, ({ isInBand }) => isInBand)),
      'off by × 2': said.filter(isFar).length,
      'within 15 %, of all': Math.round(shareOf(some, isClose)),
    };
  };
  const rows = Object.keys(KINDS).flatMap((kind) =>
    RECORDED.map((from) => ({
      kind,
      from,
      ...describe(figures.filter((each) => each.kind === kind && each.from === from)),
    })),
  );
  const all = describe(figures);
  const reasons = [...new Set(figures.map(({ why }) => why))]
    .filter((why) => why !== null)
    .map((reason) => {
      const withheld = figures.filter(({ why }) => why === reason);
      return {
        reason,
        figures: withheld.length,
        'within 15 %': withheld.filter(isClose).length,
        'in band': withheld.filter(({ isInBand }) => isInBand).length,
        'off by × 2': withheld.filter(isFar).length,
      };
    });
  const worst = figures
    .toSorted(
      (a, b) => Math.abs(Math.log(b.predictedMs / b.measuredMs)) - Math.abs(Math.log(a.predictedMs / a.measuredMs)),
    )
    .slice(0, 12)
    .map(({ measuredMs, predictedMs, ...rest }) => ({
      ...rest,
      measuredMs: Number(measuredMs.toFixed(1)),
      predictedMs: Number(predictedMs.toFixed(1)),
    }));
  return [
    {
      title:
        `Figures of requests, by kind of load; wanted: ${WANTED.close} % within 15 % or 5 ms, ${WANTED.inBand} % in ` +
        `band, none off by × 2, at most ${WANTED.withheld} % withheld`,
      rows: [...rows, { kind: 'all', from: '', ...all }],
      isMet:
        all['within 15 %'] >= WANTED.close &&
        all['in band, %'] >= WANTED.inBand &&
        all['off by × 2'] === 0 &&
        all['withheld, %'] <= WANTED.withheld,
    },
    { title: 'Why figures were withheld, and how they would have done', rows: reasons },
    { title: 'The figures that are off most', rows: worst },
  ];
}
