import { describe } from '@jest/globals';
import { accepts, acceptsOnly, refuses } from '../../support/check-lesson.js';

/** @param {(measured: any) => unknown} change of the first pool of the newest run */
const changeFirst =
  (change) =>
  (/** @type {any[]} */ [run]) =>
    change(run.variants[0].measured);
/** @param {object} settings of the newest run */
const withSettings =
  (settings) =>
  (/** @type {any[]} */ [run]) =>
    Object.assign(run.settings, settings);

describe('01-what-a-pool-is', () => {
  const name = '01-what-a-pool-is';
  accepts(name, { app: '01' }, /With both lanes taken, 3 buses waited, the longest for 6\.0 s/);
  accepts(name, { app: '01t' }, /3 buses waited, the longest for 6\.0 s/);
  refuses(name, [
    ['an app without buses', { app: '01', change: (_, app) => (app.checkouts = []) }, /Send the load/],
    ['two buses', { app: '01', change: (_, app) => (app.checkouts.length = 2) }, /there are 2 lanes/],
    [
      'three lanes',
      { app: '01three', change: (_, app) => (app.checkouts.length = 5) },
      /a tunnel with 3 lanes\. Start the app with MONGO_POOLSIZE=2/,
    ],
    ['ten buses at once', { app: '01ten' }, /not five that came one second apart/],
    ['a bus that got no lane', { app: '01', change: (_, { checkouts }) => loseLane(checkouts) }, /No bus has come/],
  ]);
});

/** @param {any[]} checkouts */
function loseLane(checkouts) {
  checkouts.length = 1;
  checkouts[0].checkedOutAtMs = null;
}

describe('01-what-a-pool-is/twist', () => {
  const name = '01-what-a-pool-is/twist';
  accepts(name, { app: '01t' }, /With 4, the fifth bus waited for 5\.0 s/);
  refuses(name, [
    ['the lesson alone', { app: '01' }, /Set the pool to 5/],
    [
      'five lanes alone',
      { app: '01t', change: (_, { checkouts }) => (checkouts.length = 10) },
      /Now set the pool to 4/,
    ],
  ]);
});

describe('02-one-lane', () => {
  const name = '02-one-lane';
  for (const run of ['quiet 02', 'busy 02']) {
    accepts(name, { runs: ['quiet 02t', 'quiet 04', run] }, /was answered after 20\.0 s/, { runs: [{ file: run }] });
  }
  refuses(name, [
    ['nothing', {}, /First run it with one lane/],
    ['another size', { runs: ['quiet 04'] }, /First run it with one lane/],
    ['several sizes', { runs: ['quiet 03a'] }, /First run it with one lane/],
    ['the twist', { runs: ['quiet 02t'] }, /First run it with one lane/],
    ['part of the load', { runs: ['quiet 02'], change: withSettings({ environment: 'smoke' }) }, /First run/],
    ['a second client', { runs: ['quiet 03p'] }, /First run it with one lane/],
    ['failures', { runs: ['quiet 02'], change: ([run]) => (run.variants[0].error = '2 x HTTP 503') }, /2 x HTTP 503/],
    [
      'Ferraris that did not wait',
      { runs: ['quiet 02'], change: changeFirst(({ routes }) => (routes['/fast'].maxMs = 6)) },
      /no Ferrari waited/,
    ],
  ]);
});

describe('02-one-lane/twist', () => {
  const name = '02-one-lane/twist';
  accepts(name, { runs: ['quiet 02t'] }, /the slowest of 300 took \d+ ms\. One lane is plenty/);
  accepts(name, { runs: ['busy 02t'] }, /One lane is plenty/);
  refuses(name, [
    ['another load', { runs: ['quiet 02'] }, /no run of/],
    ['failures', { runs: ['quiet 02t'], change: changeFirst((measured) => (measured.failures = 2)) }, /2 of 300/],
    [
      'late Ferraris',
      { runs: ['quiet 02t'], change: changeFirst(({ routes }) => (routes['/fast'].p95Ms = 300)) },
      /took 300 ms or less.+Something else uses this machine/,
    ],
  ]);
});

describe('03-find-the-knee', () => {
  const name = '03-find-the-knee';
  for (const state of ['quiet', 'busy']) {
    accepts(name, { runs: [`${state} 03t`, `${state} 03b`, `${state} 03a`] }, /The knee is at 5 connections/, {
      truth: 5,
    });
  }
  const near =
    (/** @type {number} */ count) =>
    (/** @type {any[]} */ [run]) =>
      (run.variants.length = count);
  refuses(name, [
    ['nothing', {}, /measure several/],
    ['sizes far apart', { runs: ['quiet 03a'] }, /between 3 and 10/],
    ['the twist', { runs: ['quiet 03t'] }, /measure several/],
    ['no size above the best', { runs: ['quiet 03b'], change: near(2) }, /5, is the best so far/],
    [
      'sizes of another load',
      { runs: ['quiet 03b', 'quiet 03a'], change: withSettings({ scenario: 'other.yaml' }) },
      /between 3 and 10/,
    ],
    [
      'sizes with a limit',
      { runs: ['quiet 03b', 'quiet 03a'], change: withSettings({ poolTimeout: 100 }) },
      /between 3 and 10/,
    ],
  ]);
});

describe('03-find-the-knee/twist', () => {
  const name = '03-find-the-knee/twist';
  acceptsOnly(name, { runs: ['quiet 03t'], answer: 3 }, [2, 4]);
  acceptsOnly(name, { runs: ['busy 03t'], answer: 3 }, [2, 4]);
  accepts(name, { runs: ['quiet 03t'], answer: 3 }, /slowest request hardly gains from more than 2/);
  refuses(name, [
    ['the lesson', { runs: ['quiet 03b', 'quiet 03a'], answer: 3 }, /no run with --slow-ms 2000/],
    ['a gap', { runs: ['quiet 03t'], answer: 4, change: ([run]) => run.variants.splice(1, 2) }, /between 1 and 4/],
  ]);
});

describe('03-find-the-knee/puzzle', () => {
  const name = '03-find-the-knee/puzzle';
  for (const state of ['quiet', 'busy']) {
    accepts(name, { runs: [`${state} 02`, `${state} 03p`] }, /With 2 connections in all.+slowest took 21\.\d s/);
  }
  refuses(name, [
    ['nothing', {}, /no run/],
    ['eleven connections', { runs: ['quiet 03x'] }, /had 11 connections, all clients together/],
    [
      'eleven that were not recorded',
      { runs: ['quiet 03x'], change: withSettings({ slowPoolSize: undefined }) },
      /had \d+ connections, all clients together/,
    ],
    [
      'the run before one of another load',
      { runs: ['quiet 03t', 'quiet 03x'] },
      /^Your newest run had other settings than the puzzle\. About an older one: The app had 11/,
    ],
    ['the newest run, not an older one', { runs: ['quiet 03x', 'quiet 03a'] }, /had 11 connections/],
    ['quicker buses', { runs: ['quiet 03p'], change: withSettings({ slowMs: 1500 }) }, /no run/],
    ['part of the load', { runs: ['quiet 03p'], change: withSettings({ environment: 'smoke' }) }, /no run/],
    [
      'a late Ferrari',
      { runs: ['quiet 03p'], change: changeFirst(({ routes }) => (routes['/fast'].maxMs = 51)) },
      /took 51 ms/,
    ],
    ['refusals', { runs: ['quiet 03p'], change: changeFirst((measured) => (measured.failures = 3)) }, /Only 7 of 10/],
  ]);
});

describe('04-predict-then-reveal', () => {
  const name = '04-predict-then-reveal';
  for (const state of ['quiet', 'busy']) {
    accepts(name, { runs: [`${state} 04`], guess: 14 }, /27 % too high/, {
      figures: [
        ['you guessed', '14.0 s'],
        ['predicted', '11.0 s'],
        ['measured', '11.0 s'],
      ],
    });
  }
  accepts(name, { runs: ['quiet 04'], guess: 11 }, /like a queue/);
  accepts(name, { runs: ['quiet 04'], guess: 5.5 }, /50 % too low/);
  refuses(name, [
    [
      'a run before the guess',
      { runs: ['quiet 04'], change: ([run]) => (run.startedAt = '2025-12-31T00:00:00.000Z') },
      /not measured since/,
    ],
    ['another size', { runs: ['quiet 02'] }, /not measured since/],
    ['part of the load', { runs: ['quiet 04'], change: withSettings({ environment: 'smoke' }) }, /not measured since/],
    [
      'a run that contradicts its prediction',
      { runs: ['quiet 04'], change: changeFirst((measured) => (measured.maxMs = 15_000)) },
      /The prediction says 11\.0 s and the measurement 15\.0 s/,
    ],
  ]);
});

describe('04-predict-then-reveal/twist', () => {
  acceptsOnly('04-predict-then-reveal/twist', { answer: 1 }, [2, 0.5]);
});

describe('05-wait-queue', () => {
  const name = '05-wait-queue';
  for (const state of ['quiet', 'busy']) {
    acceptsOnly(name, { runs: [`${state} 05t`, `${state} 05`], answer: 7 }, [3, 8, 10]);
  }
  accepts(name, { runs: ['quiet 05'], answer: 7 }, /7 of 10 were refused after a wait of 2\.5 s.+2\.\d s.+5 lanes/);
  refuses(name, [
    ['no limit', { runs: ['quiet 03a'], answer: 7 }, /--pool-timeout 2500/],
    ['another limit', { runs: ['quiet 05t'], answer: 8 }, /--pool-timeout 2500/],
    [
      'one lane alone',
      { runs: ['quiet 05'], answer: 7, change: ([run]) => (run.variants.length = 1) },
      /--pool-timeout/,
    ],
    ['part of the load', { runs: ['quiet 05'], answer: 7, change: withSettings({ environment: 'smoke' }) }, /--pool-/],
  ]);
});

describe('05-wait-queue/twist', () => {
  const name = '05-wait-queue/twist';
  for (const state of ['quiet', 'busy']) acceptsOnly(name, { runs: [`${state} 05t`], answer: 2 }, [8, 10]);
  refuses(name, [['the lesson', { runs: ['quiet 05'], answer: 2 }, /--pool-timeout 100/]]);
});

describe('15-your-own-app', () => {
  const name = '15-your-own-app';
  accepts(name, { runs: ['quiet 15p', 'quiet 15t', 'quiet 15'] }, /3 sizes/, {
    truth: 10,
    runs: [{ file: 'quiet 15' }],
  });
  refuses(name, [
    ['other sizes', { runs: ['quiet 15p'] }, /no sweep of loadtests\/mixed\.yaml at the sizes 1, 3, 10/],
    ['quicker buses', { runs: ['quiet 15x'] }, /no sweep/],
    ['part of the load', { runs: ['quiet 15'], change: withSettings({ environment: 'smoke' }) }, /no sweep/],
    [
      'sizes that are all too small',
      { runs: ['quiet 15'], change: ([run]) => (run.variants[2].measured.routes['/fast'].maxMs = 800) },
      /At no size.+close other programs/,
    ],
  ]);
});

describe('15-your-own-app/twist', () => {
  const name = '15-your-own-app/twist';
  acceptsOnly(name, { runs: ['quiet 15t'], answer: 1 }, [3, 10]);
  refuses(name, [['another load', { runs: ['quiet 15'], answer: 5 }, /no such sweep/]]);
});

describe('15-your-own-app/puzzle', () => {
  const name = '15-your-own-app/puzzle';
  accepts(name, { runs: ['quiet 15', 'quiet 15p'] }, /5 are the smallest: with 4, .+ waited 943 ms, and with 5/);
  refuses(name, [
    ['the lesson', { runs: ['quiet 15'] }, /no sweep.+two neighbouring sizes/],
    ['quicker buses', { runs: ['quiet 15x'] }, /no sweep/],
    [
      'two that are enough',
      { runs: ['quiet 15p'], change: changeFirst(({ routes }) => (routes['/fast'].maxMs = 8)) },
      /5 are not the smallest/,
    ],
    [
      'two that are too few',
      { runs: ['quiet 15p'], change: ([run]) => (run.variants[1].measured.routes['/fast'].maxMs = 900) },
      /5 are too few/,
    ],
    ['failures', { runs: ['quiet 15p'], change: ([run]) => (run.variants[1].measured.failures = 4) }, /6 of 10/],
  ]);
});
