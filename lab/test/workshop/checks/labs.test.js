import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { accepts, acceptsOnly, check, GUESS, refuses } from '../../support/check-lesson.js';
import { listTasks, readLessons } from '../../../workshop/lessons.js';
import { listRuns } from '../../support/saved-runs.js';

/** @import { CaseTask, ShopEvidence } from '../../../workshop/lesson-types.js' */

const lessons = await readLessons();
const cases = (await readLessons()).flatMap((lesson) => lesson.case ?? []);

/** How many times as much CPU time a lookup of its own cost in the saved run of lesson 10. */
const TIMES = 4;

const BUSY = /^The machine was busy with something else during 1 run.+Close other programs/;

/** @param {any} run @param {RegExp} name of its variant @returns {any} what was measured */
const find = (run, name) =>
  run.variants.find((/** @type {{ name: string }} */ variant) => name.test(variant.name)).measured;

/** @param {RegExp} name of a variant @param {(measured: any) => unknown} change */
const changeIn =
  (name, change) =>
  (/** @type {any[]} */ [run]) =>
    change(find(run, name));

/** @param {RegExp} name of a variant @param {number} p99Ms of /fast */
const withP99 = (name, p99Ms) => changeIn(name, ({ routes }) => (routes['/fast'].p99Ms = p99Ms));

/** @param {object} settings of the newest run */
const withSettings =
  (settings) =>
  (/** @type {any[]} */ [run]) =>
    Object.assign(run.settings, settings);

describe('06-cold-start', () => {
  const name = '06-cold-start';
  acceptsOnly(name, { runs: ['quiet 06t', 'quiet 06'], answer: 90 }, [5, 300]);
  acceptsOnly(name, { runs: ['quiet 08'], answer: 181 }, [5, 300]);
  refuses(name, [
    ['a busy machine', { runs: ['busy 06'], answer: 411 }, BUSY],
    ['a wrong answer about a quiet run', { runs: ['busy 06', 'quiet 06'], answer: 5 }, /^Compare the p99 of \/fast/],
    ['an answer about the busy one of two runs', { runs: ['busy 06', 'quiet 06'], answer: 411 }, BUSY],
    ['a busy machine, with the run of lesson 8', { runs: ['busy 08'], answer: -326 }, BUSY],
    ['another distance', { runs: ['quiet 06t'], answer: 90 }, /--remedies warm/],
    ['two crowds that took as long', { runs: ['quiet 06x'], answer: 5 }, /took about as long, so something else/],
    [
      'a warm crowd that was slower',
      { runs: ['quiet 06'], answer: -131, change: withP99(/warm/, 500) },
      /took about as long, so something else used this machine/,
    ],
    [
      'customers without an answer',
      { runs: ['quiet 06'], answer: 90, change: changeIn(/cold/, ({ routes }) => (routes['/fast'].failures = 2)) },
      /2 customers got no answer/,
    ],
  ]);
});

describe('06-cold-start/twist', () => {
  const name = '06-cold-start/twist';
  acceptsOnly(name, { runs: ['quiet 06t'], answer: 1103 }, [500, 4000]);
  refuses(name, [
    ['the lesson', { runs: ['quiet 06'], answer: 369 }, /--rtt 100/],
    ['the puzzle', { runs: ['quiet 06p'], answer: 750 }, /no run with both bursts/],
    ['a busy machine', { runs: ['busy 06t'], answer: 1472 }, BUSY],
  ]);
});

describe('06-cold-start/puzzle', () => {
  const name = '06-cold-start/puzzle';
  accepts(name, { runs: ['quiet 06t', 'quiet 06p'] }, /with a cold pool and .+ with a warm one\. The connections/);
  refuses(name, [
    ['nothing', {}, /no run of both bursts/],
    ['the twist', { runs: ['quiet 06t'] }, /with a cold pool.+run it again/],
    ['a shorter distance', { runs: ['quiet 06'] }, /no run of both bursts/],
    ['a busy machine', { runs: ['busy 06p'] }, BUSY],
    [
      'customers without an answer',
      { runs: ['quiet 06p'], change: changeIn(/cold/, ({ routes }) => (routes['/fast'].failures = 2)) },
      /2 customers/,
    ],
  ]);
});

describe('07-change-streams', () => {
  const name = '07-change-streams';
  for (const state of ['quiet', 'busy']) {
    accepts(
      name,
      { runs: ['07t4', '07c', '07b', '07a'].map((run) => `${state} ${run}`) },
      /20 of 20 queries timed out/,
    );
  }
  refuses(name, [
    ['nothing', {}, /no run yet/],
    ['a free lane', { runs: ['quiet 07t4', 'quiet 07b', 'quiet 07c'] }, /no run yet/],
    ['the wait alone', { runs: ['quiet 07a'] }, /--second-client/],
    ['no long hold', { runs: ['quiet 07a', 'quiet 07b'] }, /--max-await/],
    [
      'a second client that helped nobody',
      {
        runs: ['quiet 07b', 'quiet 07a', 'quiet 07c'],
        change: ([run]) => (run.variants[0].measured.maxMs = 900),
      },
      /With --second-client the slowest query took 900 ms/,
    ],
  ]);
});

describe('07-change-streams/twist', () => {
  const name = '07-change-streams/twist';
  const all = ['quiet 07t4', 'quiet 07t10', 'quiet 07t20'];
  accepts(name, { runs: all }, /with 4 streams, \d\.\d s with 10 streams, \d\.\d s with 20 streams\. As long as/);
  refuses(name, [
    ['one number', { runs: ['quiet 07t4'] }, /--leaks 10, --leaks 20/],
    [
      'a free lane that was slow',
      { runs: all, change: ([run]) => (run.variants[0].measured.maxMs = 2000) },
      /Something else used this machine/,
    ],
  ]);
});

describe('08-remedies', () => {
  const name = '08-remedies';
  acceptsOnly(name, { runs: ['quiet 08t', 'quiet 08'], answer: 4 }, [1, 3, 5]);
  accepts(
    name,
    { runs: ['quiet 08'], answer: 3, change: withP99(/pool 20/, 60) },
    /shows nothing clear about pool 20\./,
    { truth: undefined },
  );
  accepts(name, { runs: ['quiet 08'], answer: 4 }, /^4 of 6 work/, { truth: 4 });
  refuses(name, [
    ['a busy machine', { runs: ['busy 08'], answer: 0 }, BUSY],
    ['the run of lesson 6', { runs: ['quiet 06'], answer: 0 }, /no run of all six/],
    ['the twist', { runs: ['quiet 08t'], answer: 3 }, /no run of all six/],
    [
      'part of the load',
      { runs: ['quiet 08'], answer: 4, change: withSettings({ environment: 'smoke' }) },
      /no run of/,
    ],
    ['nothing that is clear', { runs: ['quiet 08'], answer: 0, change: changeAll(60) }, /nothing is clear.+--repeat 3/],
    [
      'a machine that paused',
      { runs: ['quiet 08'], answer: 3, change: withP99(/second client/, 422) },
      /lanes of their own with second client.+--repeat 3/,
    ],
    ['nothing to cure', { runs: ['quiet 08'], answer: 4, change: withP99(/^pool 5$/, 20) }, /nothing is clear/],
  ]);
});

/** @param {number} p99Ms of /fast with each remedy that may work */
function changeAll(p99Ms) {
  return (/** @type {any[]} */ [{ variants }]) => {
    for (const { settings, measured } of variants) {
      if (['size', 'client', 'limit'].includes(settings.remedy)) measured.routes['/fast'] = { ...FAST, p99Ms };
    }
  };
}

const FAST = { count: 400, refused: 0, failures: 0 };

describe('08-remedies/twist', () => {
  const name = '08-remedies/twist';
  acceptsOnly(name, { runs: ['quiet 08', 'quiet 08t'], answer: 3 }, [2, 4]);
  refuses(name, [
    ['the lesson', { runs: ['quiet 08'], answer: 4 }, /no run of all six.+--slow-ms 3000/],
    ['a busy machine', { runs: ['busy 08t'], answer: 0 }, BUSY],
  ]);
});

describe('09-toll-booths', () => {
  const name = '09-toll-booths';
  const runs = ['quiet 09'];
  accepts(name, { runs, guess: 1 }, /^The larger pool made heavy queries slower.+ same toll booths\.$/);
  accepts(name, { runs, guess: 30 }, /^Your guess was too high\./);
  accepts(name, { runs, guess: 2.2 }, /^Your guess was too low\./);
  accepts(name, { runs, guess: 4 }, /^Your guess was good: it is within what the repeats show\./);
  /** The server's share of the cores, and what the repeats of the two pools show. */
  const withRepeats =
    (/** @type {number[]} */ rates, /** @type {number[]} */ p99sMs, coresBusy = 1.7) =>
    (/** @type {any[]} */ [{ variants }]) => {
      for (const { settings, measured, repeats } of variants) {
        const isLarge = settings.role === 'reference';
        measured.server.coresBusy = coresBusy;
        for (const [index, repeat] of repeats.entries()) {
          Object.assign(repeat.measured, {
            ratePerSec: isLarge ? rates[index] : 323,
            heavy: { p99Ms: isLarge ? p99sMs[index] : 274 },
          });
        }
      }
    };
  const more = withRepeats([450, 460, 450], [893, 1000, 850]);
  accepts(name, { runs, change: more }, /1\.4 times as many.+left a booth idle now and then\.$/);
  const less = withRepeats([250, 260, 250], [893, 1000, 850]);
  accepts(name, { runs, change: less }, /0\.8 times as many.+and less work done\.$/);
  const unclear = withRepeats([250, 480, 490], [893, 1000, 850]);
  accepts(name, { runs, change: unclear }, /The repeats disagree on that\.$/);
  refuses(name, [
    ['a server that got few cores', { runs: ['busy 09'] }, /could use only 0\.\d of 2 cores/],
    ['a run before the guess', { runs, change: ([run]) => (run.startedAt = '2025-12-31') }, /not measured since/],
    ['few callers', { runs, change: withSettings({ callers: 4 }) }, /not measured since/],
    ['lighter queries', { runs, change: withSettings({ heavyMs: 10 }) }, /not measured since/],
    [
      'a small pool that was too small',
      { runs, change: withRepeats([600, 650, 620], [893, 900, 880]) },
      /4 did not fill it/,
    ],
    ['pools that were as quick', { runs, change: withRepeats([325, 325, 325], [280, 281, 279]) }, /did not fill it/],
    ['repeats that disagree', { runs, change: withRepeats([325, 325, 325], [900, 230, 700]) }, /The repeats disagree/],
  ]);
});

describe('09-toll-booths/twist', () => {
  const name = '09-toll-booths/twist';
  accepts(name, { app: '09t' }, /^2\d buses waited, and no Ferrari did/);
  refuses(name, [
    ['no traffic', { app: '01' }, /Send thirty buses/],
    ['one tunnel for all', { app: '09u' }, /30 buses drove at once/],
    ['Ferraris that waited', { app: '09t', change: (_, app) => (app.max = 1) }, /\d Ferraris waited for a lane/],
  ]);
});

describe('09-toll-booths/puzzle', () => {
  const name = '09-toll-booths/puzzle';
  accepts(name, { runs: ['quiet 08', 'quiet 09p'] }, /^second client 1\+3: .+ of 27 had no answer after 3 s/);
  refuses(name, [
    ['the run of lesson 8', { runs: ['quiet 08'] }, /pool 1: 3\.0 s/],
    ['a busy machine', { runs: ['busy 09p'] }, BUSY],
    ['quicker slow queries', { runs: ['quiet 09p'], change: withSettings({ slowMs: 10 }) }, /no run/],
    ['part of the load', { runs: ['quiet 09p'], change: withSettings({ environment: 'smoke' }) }, /no run/],
    [
      'five connections',
      { runs: ['quiet 09p'], change: ([run]) => run.variants.forEach(addLane) },
      /no run of that load with at most 4/,
    ],
    [
      'refused administrators',
      { runs: ['quiet 09p'], change: changeIn(/second/, ({ routes }) => (routes['/slow'].refused = 7)) },
      /7 refused/,
    ],
  ]);
});

/** @param {any} variant */
function addLane({ settings: { env } }) {
  env.MONGO_POOLSIZE += 1;
}

describe('10-one-client-or-several', () => {
  const name = '10-one-client-or-several';
  acceptsOnly(name, { runs: ['quiet 10t', 'quiet 10'], answer: TIMES }, [1, 2, 10, 98]);
  accepts(name, { runs: ['quiet 10'], answer: TIMES }, /So connections were not the bottleneck: several clients/);
  const several = changeIn(/several/, (one) => (one.ratePerSec *= 2));
  accepts(name, { runs: ['quiet 10'], answer: TIMES, change: several }, /Yet several clients .+ measure again/);
  const slower = changeIn(/one/, (one) => (one.cpuUs /= 2));
  refuses(name, [
    ['failures', { runs: ['busy 10'], answer: 26 }, /no run yet/],
    ['the twist', { runs: ['quiet 10t'], answer: TIMES }, /no run yet/],
    [
      'an app that had little of its core',
      { runs: ['quiet 10'], answer: TIMES / 2, change: slower },
      /Something else used the cores/,
    ],
  ]);
});

describe('10-one-client-or-several/twist', () => {
  const name = '10-one-client-or-several/twist';
  accepts(name, { runs: ['quiet 10t', 'quiet 10'] }, /[01]\.\d\d times as many requests as with 20/);
  refuses(name, [
    ['the lesson', { runs: ['quiet 10'] }, /--pool-size 128/],
    ['the twist alone', { runs: ['quiet 10t'] }, /First do the lesson/],
    ['a busy machine', { runs: ['busy 10t', 'busy 10'] }, /Something else used the cores/],
  ]);
});

describe('11-batching', () => {
  const name = '11-batching';
  acceptsOnly(name, { runs: ['quiet 11t', 'quiet 11'], answer: 10.5 }, [1, 100]);
  refuses(name, [
    ['a busy machine', { runs: ['busy 11'], answer: 14.6 }, BUSY],
    ['the twist', { runs: ['quiet 11t'], answer: 1 }, /no run of both yet/],
    ['another write concern', { runs: ['quiet 11'], answer: 10.5, change: withSettings({ writeConcern: 1 }) }, /no/],
    ['failures', { runs: ['quiet 11'], answer: 10.5, change: ([run]) => run.variants.forEach(fail) }, /no run/],
  ]);
});

/** @param {any} variant */
function fail(variant) {
  variant.error = '3 documents missing';
}

describe('11-batching/twist', () => {
  const name = '11-batching/twist';
  accepts(name, { runs: ['quiet 11t'] }, /[01]\.\d\d times as many/);
  refuses(name, [
    ['the lesson', { runs: ['quiet 11'] }, /--cases 1\/1/],
    ['a busy machine', { runs: ['busy 11t'] }, BUSY],
    [
      'two lone callers that differ',
      { runs: ['quiet 11t'], change: changeIn(/gathered/, (one) => (one.ratePerSec *= 2)) },
      /Something else used this machine/,
    ],
  ]);
});

describe('16-replication', () => {
  const name = '16-replication';
  acceptsOnly(name, { runs: ['quiet 16t', 'quiet 16'], answer: 1.5 }, [1, 8]);
  refuses(name, [
    ['the twist', { runs: ['quiet 16t'], answer: 1.5 }, /no run of both yet: .+ --workers 1,8/],
    [
      'another rule of merging',
      { runs: ['quiet 16'], answer: 1.5, change: ([run]) => (run.variants[0].settings.merge = 'none') },
      /no run of both yet/,
    ],
    ['failures', { runs: ['quiet 16'], answer: 1.5, change: ([run]) => run.variants.forEach(fail) }, /no run of both/],
  ]);
});

describe('16-replication/twist', () => {
  const name = '16-replication/twist';
  acceptsOnly(name, { runs: ['quiet 16', 'quiet 16t'], answer: 5 }, [1, 8]);
  refuses(name, [['the lesson', { runs: ['quiet 16'], answer: 5 }, /no such run yet: .+ --hash collection/]]);
});

describe('12-utilisation', () => {
  const name = '12-utilisation';
  acceptsOnly(name, { runs: ['quiet 12p', 'quiet 12t', 'quiet 12'], answer: 4.4 }, [0.5, 44, 489]);
  accepts(name, { runs: ['quiet 12'], answer: 4.4 }, /from 54 ms to 684 ms/, { truth: expect.closeTo(684, 0) });
  refuses(name, [
    ['a busy machine', { runs: ['busy 12'], answer: 61 }, BUSY],
    [
      'shorter waits in a lane that is busier',
      { runs: ['quiet 12'], answer: 4.4, change: changeIn(/random, 95/, (measured) => (measured.waitMeanMs = 300)) },
      /longer at 90 % than at 95 %.+Close those and run it again/,
    ],
    ['the twist', { runs: ['quiet 12t'], answer: 4.4 }, /no such run/],
    ['a short run', { runs: ['quiet 12'], answer: 4.4, change: withSettings({ seconds: 1 }) }, /no such run/],
  ]);
});

describe('12-utilisation/twist', () => {
  const name = '12-utilisation/twist';
  acceptsOnly(name, { runs: ['quiet 12t'], answer: 223 }, [50, 489]);
  refuses(name, [
    ['the lesson', { runs: ['quiet 12'], answer: 489 }, /--use-ms 50/],
    ['a busy machine', { runs: ['busy 12t'], answer: 164 }, BUSY],
  ]);
});

describe('12-utilisation/puzzle', () => {
  const name = '12-utilisation/puzzle';
  accepts(name, { runs: ['quiet 12', 'quiet 12p'] }, /With 8 connections the mean wait is 40 ms/);
  refuses(name, [
    ['the lesson', { runs: ['quiet 12'] }, /With 1 connection the mean wait is 489 ms/],
    ['quicker queries', { runs: ['quiet 12t'] }, /no run yet/],
    ['even arrivals', { runs: ['quiet 12p'], change: ([run]) => run.variants.forEach(makeEven) }, /no run yet/],
    ['a short run', { runs: ['quiet 12p'], change: withSettings({ seconds: 1 }) }, /no run yet/],
    ['nine connections', { runs: ['quiet 12p'], change: withSettings({ poolSize: 9 }) }, /no run yet/],
    [
      'idle connections',
      { runs: ['quiet 12p'], change: changeIn(/random/, (one) => (one.usedShare = 0.5)) },
      /50 % of the time only/,
    ],
  ]);
});

/** @param {any} variant */
function makeEven({ settings }) {
  settings.arrivals = 'even';
}

describe('puzzles', () => {
  const puzzles = lessons.flatMap(({ puzzle }) => puzzle ?? []);

  /** What solves it: `quiet 03p` for lesson 3. @param {string} name */
  const solutionsOf = (name) => ['quiet', 'busy'].map((state) => `${state} ${name.slice(0, 2)}p`);

  test.each(puzzles)(
    '$name is solved by no unchanged run of a lesson, and by no table of one',
    async ({ name, lab }) => {
      // The tables of the lessons are those of saved runs: lesson-texts.test.js compares them.
      const runs = listRuns(String(lab)).filter(({ file }) => !solutionsOf(name).includes(file));
      expect(runs.length).toBeGreaterThanOrEqual(3);
      for (const run of runs) {
        const { isRight, words } = await check(name, { results: [run], guess: GUESS });
        expect({ run: run.file, words, isRight }).toEqual({ run: run.file, words, isRight: false });
      }
    },
  );

  test('the check of every lesson, twist and puzzle is tried on samples', async () => {
    const folder = new URL('./', import.meta.url);
    const texts = await Promise.all((await readdir(folder)).map((file) => readFile(new URL(file, folder), 'utf8')));
    const tried = texts.flatMap((text) => [...text.matchAll(/^ *describe\('([^']+)'/gm)].map(([, name]) => name));
    expect(tried).toEqual(expect.arrayContaining(lessons.flatMap(listTasks).map(({ name }) => name)));
  });
});

describe('cases', () => {
  const SOUND = {
    routes: {
      '/order': { p50Ms: 54, failures: 0, isRight: true },
      '/customer': { p50Ms: 28, failures: 0, isRight: true },
      '/offers': { p50Ms: 63, failures: 0, isRight: true },
    },
    requests: 300,
    connections: 7,
    opened: 0,
    examined: 10.4,
    missed: 0,
    noiseMs: 2,
  };

  /** What was measured with each cause. @type {[cause: string, figures: object, words: RegExp][]} */
  const BROKEN = [
    [
      'client-per-request',
      withP50({ '/customer': 325 }, { connections: 14, opened: 200 }),
      /to \/customer take .+325 ms/,
    ],
    [
      'ten-queries',
      withP50({ '/order': 2005, '/customer': 1060, '/offers': 1097 }),
      /to \/order take longer than 2\.0 s/,
    ],
    ['slow-service', withP50({ '/offers': 368 }), /to \/offers take longer than 368 ms\. It must/],
    ['change-streams', withP50({ '/order': 2635, '/customer': 1364 }), /to \/order/],
    ['full-server', withP50({ '/order': 2525 }, { examined: 33340, noiseMs: 80 }), /to \/order take .+ It must/],
    ['idle-time', withP50({ '/order': 248 }, { opened: 57 }), /to \/order/],
    ['lost-option', withP50({ '/order': 2274 }, { connections: 4 }), /to \/order/],
    ['a machine that is busy', withP50({ '/order': 248 }, { noiseMs: 80 }), /something else used this machine/],
    [
      'requests without an answer on a machine that is busy',
      { routes: { ...SOUND.routes, '/order': { failures: 3 } }, noiseMs: 80 },
      /3 requests to \/order got no answer, but something else used this machine/,
    ],
    ['requests without an answer', { routes: { ...SOUND.routes, '/order': { failures: 3 } } }, /3 requests to \/order/],
    [
      'a route that makes it easy',
      { routes: { ...SOUND.routes, '/order': { failures: 0 } } },
      /no longer gives the right answer/,
    ],
    ['no change stream', { missed: 5 }, /missed 5 changes/],
    ['a larger pool', { connections: 52 }, /had 52 connections to the server\. It may have at most 5/],
    ['quick connections that are opened again', { opened: 57 }, /opened 57 connections for 300 requests/],
    ['a quick server without an index', { examined: 33340 }, /looked at 33,340 documents/],
  ];

  /** @param {Record<string, number>} p50s by route @param {object} [more] */
  function withP50(p50s, more) {
    const routes = Object.entries(SOUND.routes).map(([route, figures]) => [
      route,
      { ...figures, p50Ms: p50s[route] ?? figures.p50Ms },
    ]);
    return { routes: Object.fromEntries(routes), ...more };
  }

  /**
   * @param {CaseTask} task
   * @param {object} figures
   * @param {ShopEvidence['named']} [named] default: the right words
   * @param {object} [more] of the evidence
   */
  function judgeCase(task, figures, named, more) {
    const [cause] = task.causes;
    const words = named ?? { cause: cause.name, route: cause.route };
    return check(task.name, { shop: { cause, named: words, figures: { ...SOUND, ...figures }, ...more } });
  }

  /** @param {string} name */
  function tryCase(name) {
    const task = /** @type {CaseTask} */ (cases.find((one) => one.name === name));

    test('accepts a sound shop, whatever was named, and says what it was', async () => {
      const [{ name: cause, sign }] = task.causes;
      expect(await judgeCase(task, {})).toMatchObject({
        isRight: true,
        words: expect.stringMatching(/at most 63 ms.+You had found it: /),
      });
      expect(await judgeCase(task, {}, { cause, route: '/elsewhere' })).toMatchObject({
        isRight: true,
        words: expect.stringContaining(`You named ${cause} (/elsewhere), but it was this: `),
      });
      expect((await judgeCase(task, {})).words).toContain(sign);
    });

    test('asks for a recording after a wrong cause, or a wrong route, and shows what it has', async () => {
      const [cause, other] = task.causes;
      const slow = withP50({ '/order': 300 });
      const recorded = [['/order', '60 checkouts']];
      const judged = (/** @type {ShopEvidence["named"]} */ named, /** @type {object} */ figures = slow) =>
        judgeCase(task, figures, named, { recorded });
      expect(await judged({ cause: other.name, route: cause.route })).toMatchObject({
        isRight: false,
        needs: expect.stringContaining('pool-lab record'),
        words: expect.stringContaining(`The cause is not ${other.name} (${cause.route}).`),
        figures: recorded,
      });
      expect((await judged({ cause: cause.name, route: '/elsewhere' })).needs).toBeDefined();
      const right = await judged({ cause: cause.name, route: cause.route });
      expect(right).toMatchObject({ isRight: false, figures: recorded });
      expect(right.needs).toBeUndefined();
      // Nobody knows whether a shop is mended while something else uses the machine.
      const disturbed = await judged({ cause: other.name, route: cause.route }, { ...slow, noiseMs: 40 });
      expect(disturbed.needs).toBeUndefined();
    });

    test.each(BROKEN)('refuses %s, although the right cause was named', async (_, figures, words) => {
      expect(await judgeCase(task, figures)).toMatchObject({ isRight: false, words: expect.stringMatching(words) });
    });
  }

  describe('case-1', () => tryCase('case-1'));
  describe('case-2', () => tryCase('case-2'));
  describe('case-3', () => tryCase('case-3'));
});
