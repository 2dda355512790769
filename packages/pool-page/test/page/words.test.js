import { describe, expect, test } from '@jest/globals';
import { announce, createMemory } from 'mongodb-pool-page/page/announcer.js';
import {
  describeAnswer,
  describeGuess,
  describeMeasured,
  describePrediction,
  explainDoubt,
  findQueue,
  tabulateSpeedups,
} from 'mongodb-pool-page/page/prediction-words.js';
import { explainQueue } from 'mongodb-pool-page/page/queue-reason.js';
import { createState, takePool } from 'mongodb-pool-page/page/state.js';
import { explainReason } from 'mongodb-pool-page/universal/finding-words.js';
import {
  describeApp,
  describeBehind,
  describeBottleneck,
  describeClient,
  describeConnection,
  describeKind,
  describeNoneYet,
  describePool,
  describeRisks,
  describeServer,
  describeWaiter,
  describeNote,
} from 'mongodb-pool-page/page/words.js';
import { createConnection, createEnded, createPool, createReading, createSecond, createWaiter } from './sample-pool.js';

/** @import { LivePool, State } from 'mongodb-pool-page/page/state.js' */
/** @import { Speedups, WhatIf, WhatIfRoute } from 'mongodb-pool-predictor' */

const UNREACHABLE = { reachable: false, reason: 'connect ECONNREFUSED 127.0.0.1:27017' };

test.each(
  /** @type {const} */ ([
    ['connecting', null, /^Connecting to the app$/],
    ['live', createPool(), /^Live$/],
    [
      'live',
      createPool({ database: UNREACHABLE }),
      /^The app responds, but MongoDB does not: connect ECONNREFUSED 127/,
    ],
    ['live', createPool({ database: { ...UNREACHABLE, reason: null } }), /^The app responds, but MongoDB does not\.$/],
    ['lost', createPool({ database: UNREACHABLE }), /^The app is not responding\./],
  ]),
)('while it is %s, the page says so', (connection, pool, text) => {
  expect(describeConnection({ connection, pool })).toMatch(text);
});

describe('the pool in a sentence', () => {
  /** The lanes add up to the total. @param {Partial<LivePool>} pool @param {number} [elapsedMs] */
  function describeLanes({ active = 1, idle = 0, connecting = 0, ...more }, elapsedMs = 0) {
    const total = active + idle + connecting;
    return describePool(createPool({ active, idle, connecting, total, ...more }), elapsedMs);
  }

  test.each([
    [{ max: 1, active: 0 }, 'The only lane is free', ''],
    [{ max: 2, active: 0 }, 'Both lanes are free', ''],
    [{ max: 10, active: 0 }, 'All 10 lanes are free', ''],
    [{ max: 0, active: 0 }, 'All lanes are free', ''],
    [{ max: 10, active: 3 }, '3 of 10 lanes busy', 'nobody is waiting'],
    [{ max: 3, active: 3 }, '3 of 3 lanes busy', 'nobody is waiting'],
    [{ max: 0, active: 7 }, '7 lanes busy, no limit', 'nobody is waiting'],
    // Lanes that open while nobody waits.
    [{ max: 10, active: 0, connecting: 2 }, 'All 10 lanes are free', ''],
  ])('while nobody waits: %j', (pool, lanes, queue) => {
    expect(describeLanes(pool)).toEqual({ mood: 'calm', lanes, queue });
  });

  test.each([
    [{ waiting: 2, queue: [] }, 'The only lane is busy', '2 waiting'],
    // Lanes open a few at a time: requests wait although most of the pool is still closed.
    [{ max: 10, active: 4, connecting: 2, waiting: 6 }, '4 of 10 lanes busy', '6 waiting: lanes open 2 at a time'],
    [{ max: 10, active: 0, connecting: 2, waiting: 10 }, 'No lane is open yet', '10 waiting: lanes open 2 at a time'],
    [{ max: 0, active: 7, connecting: 2, waiting: 3 }, '7 lanes busy, no limit', '3 waiting: lanes open 2 at a time'],
    // One lane has just opened, and the driver has not started the next one yet.
    [{ max: 10, active: 4, connecting: 1, waiting: 6 }, '4 of 10 lanes busy', '6 waiting: lanes open 2 at a time'],
    // Opening holds nobody up if each waiter has an opening lane, or no lane is left to open.
    [{ max: 10, active: 4, connecting: 2, waiting: 2 }, '4 of 10 lanes busy', '2 waiting, 2 lanes opening'],
    [{ max: 5, active: 4, connecting: 1, waiting: 9 }, '4 of 5 lanes busy', '9 waiting, 1 lane opening'],
    [{ max: 10, active: 0, idle: 2, connecting: 1, waiting: 1 }, 'No lane is busy', '1 waiting, 1 lane opening'],
    [{ max: 3, active: 0, database: UNREACHABLE }, 'MongoDB is unreachable', 'requests fail'],
    [{ waiting: 1, queue: [createWaiter()], database: UNREACHABLE }, 'MongoDB is unreachable', '1 waiting, for 4.0 s'],
  ])('%j', (pool, lanes, queue) => {
    expect(describeLanes({ queue: [createWaiter()], ...pool })).toEqual({
      mood: 'queue',
      lanes,
      queue,
    });
  });

  test('the longest wait goes on after the last reading', () => {
    const queue = [createWaiter()];
    expect(describeLanes({ waiting: 1, queue }, 250).queue).toBe('1 waiting, for 4.3 s');
    expect(describeLanes({ waiting: 3, queue }, 200).queue).toBe('3 waiting, the longest for 4.2 s');
  });
});

test.each([
  [{ cores: 2, busyCores: 1.96 }, 'MongoDB, 2 cores, 2.0 busy'],
  [{ cores: 1, busyCores: 1.04 }, 'MongoDB, 1 core, 1.0 busy'],
  [{ cores: 128, busyCores: 17.3 }, 'MongoDB, 128 cores, 17 busy'],
  [{ cores: 64, busyCores: null }, 'MongoDB, 64 cores'],
  [{ cores: 2, busyCores: 0.1 }, 'MongoDB, 2 cores'],
  [null, 'MongoDB'],
])('the server in a few words: %j', (server, text) => {
  expect(describeServer(server).replaceAll('\u00a0', ' ')).toBe(text);
});

test('the bottleneck in a sentence', () => {
  expect(describeBottleneck({ queries: 64, cores: 2 })).toBe(
    'The server is the bottleneck: 64 queries share 2 cores. More connections will not help.',
  );
});

test.each([
  [0, [], 'None so far.'],
  [1, [createWaiter({ route: '/slow' })], 'None so far.'],
  [1, [createWaiter()], 'One is waiting now. It will appear here once it is done.'],
  [10, Array(10).fill(createWaiter()), '10 are waiting now. They will appear here once they are done.'],
  [203, Array(50).fill(createWaiter()), 'More than 50 are waiting now. They will appear here once they are done.'],
])('before the first note, the page says how many Ferraris wait: %i', (waiting, queue, text) => {
  expect(describeNoneYet(takePool(createState(), createReading({ waiting, queue }), 0))).toBe(text);
});

test.each([
  [{}, '/fast took 4.8 s, 4.8 s of it waiting behind /slow'],
  [{ count: 3 }, '3 /fast took up to 4.8 s, 4.8 s of it waiting behind /slow'],
  [{ status: 503, behind: [] }, '/fast failed with status 503 after 4.8 s, 4.8 s of it waiting'],
  [{ status: 503, totalMs: 5, waitMs: 0, behind: [] }, '/fast failed with status 503 after 5 ms'],
  [{ status: 0, waitMs: 0, behind: [] }, '/fast cancelled by the client after 4.8 s'],
  [{ count: 20, status: 503, waitMs: 0, behind: [] }, '20 /fast failed with status 503 after up to 4.8 s'],
])('a note says what happened: %j', (note, text) => {
  const { before, time, after } = describeNote({ atMs: 0, count: 1, ...createEnded(), ...note });
  expect(before + time + after).toBe(text);
});

describe('who waits for whom', () => {
  /** @param {(string | null)[]} routes */
  const holders = (...routes) => routes.map((route, index) => ({ requestId: `r${index}`, route }));

  test.each([
    [holders(), ''],
    [holders('/slow'), '/slow'],
    [holders('/slow', '/slow'), '2 × /slow'],
    [holders('/slow', '/fast', '/slow'), '2 × /slow and /fast'],
    [holders(null), 'the app itself'],
    [
      [...holders('/a', '/a').map((each) => ({ ...each, operation: 'find articles' })), ...holders('/a')],
      '2 × find articles of /a and /a',
    ],
  ])('%j', (behind, text) => {
    expect(describeBehind(behind)).toBe(text);
  });

  test('a waiting request has its time', () => {
    const fast = createWaiter({ behind: holders('/slow') });
    expect(describeWaiter(fast, 240)).toBe('/fast has waited 4.2 s behind /slow');
    expect(describeWaiter({ ...fast, waitMs: 40, behind: [] }, 0)).toBe('/fast has waited 0.0 s');
    expect(describeWaiter({ ...fast, holds: 1 }, 0)).toBe(
      '/fast has waited 4.0 s behind /slow. It holds a connection and waits for another: deadlock risk.',
    );
  });
});

describe('what is dangerous', () => {
  const stream = createConnection({ kind: 'changeStream' });

  test.each([
    [{}, ''],
    [{ lanes: [createConnection(), stream] }, 'A change stream holds 1 lane for as long as it is open.'],
    [
      { lanes: [stream, stream, createConnection({ kind: 'tailableCursor' })] },
      '2 change streams hold 2 lanes for as long as they are open. ' +
        'A tailable cursor holds 1 lane for as long as it is open.',
    ],
    [
      { queue: [createWaiter(), createWaiter({ holds: 1 })] },
      'A waiting request holds a connection and waits for another: deadlock risk.',
    ],
    [
      { lanes: [stream], queue: [createWaiter({ holds: 2 }), createWaiter({ holds: 1 })] },
      'A change stream holds 1 lane for as long as it is open. ' +
        '2 waiting requests hold a connection and wait for another: deadlock risk.',
    ],
  ])('%j', (pool, text) => {
    expect(describeRisks(createPool(pool))).toBe(text);
  });
});

describe('why requests wait now', () => {
  /** @param {object} main @param {object} [other] a second client @param {number} [lastedMs] of the queue */
  function explain(main, other, lastedMs = 600) {
    const reading = other ? createReading(main, { name: 'reports', ...other }) : createReading(main);
    const state = takePool(takePool(createState(), reading, 0), reading, lastedMs);
    return explainQueue(state);
  }
  const lane = (/** @type {string | null} */ route, /** @type {object} */ more) => createConnection({ route, ...more });
  const [bus, ferrari] = [createWaiter({ route: '/slow' }), createWaiter()];
  const find = { operation: 'find articles' };

  test.each([
    [
      { waiting: 1, lanes: [lane('/slow', {})], queue: [ferrari] },
      '1 waits now, because /slow holds the only connection.',
    ],
    [
      { waiting: 4, lanes: [lane('/slow', find)], queue: [bus, bus, bus, ferrari] },
      '4 wait now, because /slow (find articles) holds the only connection; 3 × /slow are ahead of /fast.',
    ],
    [
      {
        waiting: 2,
        max: 3,
        active: 3,
        total: 3,
        lanes: [lane('/slow', {}), lane('/slow', {}), lane(null, {})],
        queue: [bus, ferrari],
      },
      '2 wait now, because 2 × /slow and the app itself hold all 3 connections; /slow is ahead of /fast.',
    ],
    [
      {
        waiting: 1,
        max: 5,
        active: 5,
        total: 5,
        lanes: ['/a', '/a', '/b', '/c', '/d'].map((route) => lane(route, {})),
        queue: [ferrari],
      },
      '1 waits now, because 2 × /a, /b and 2 others hold all 5 connections.',
    ],
    [
      { waiting: 9, max: 10, active: 0, total: 2, connecting: 2 },
      '9 wait now, because the pool opens only 2 connections at a time.',
    ],
    [{ waiting: 1, max: 10, active: 0, total: 1, connecting: 1 }, '1 waits now, because a connection is being opened.'],
    [{ waiting: 3, database: UNREACHABLE, lanes: [lane('/slow', {})] }, '3 wait now, because MongoDB does not answer.'],
    [{ waiting: 2, max: 10, active: 3, total: 4 }, '2 wait now, because the free connections are about to be used.'],
    [{ waiting: 0, lanes: [lane('/slow', {})] }, ''],
  ])('%j', (pool, text) => {
    expect(explain(pool)).toBe(text);
  });

  test('also of another client, and not of a queue that was there for a moment', () => {
    const full = { waiting: 1, lanes: [lane('/report', {})], queue: [ferrari] };
    expect(explain({}, full)).toBe('1 waits for reports now, because /report holds the only connection.');
    expect(explain(full, undefined, 399)).toBe('');
    const state = takePool(takePool(createState(), createReading(full), 0), createReading({}), 300);
    expect(explainQueue(takePool(state, createReading(full), 600))).toBe('');
  });
});

test.each(
  /** @type {const} */ ([
    ['bus', [], 'bus: holds its connection for long'],
    ['ferrari', ['/fast'], '/fast, the Ferrari'],
    ['bus', ['/slow', 'background'], '/slow and background, the buses'],
    ['ferrari', ['/a', '/b', '/c', '/d'], '/a, /b, /c and /d, the Ferraris'],
    ['ferrari', ['/a', '/b', '/c', '/d', '/e'], '/a, /b, /c and 2 more, the Ferraris'],
  ]),
)('the legend of a %s: %j', (kind, routes, text) => {
  expect(describeKind(kind, [...routes])).toBe(text);
});

test('the head of the page names what it shows', () => {
  const features = { predictions: true };
  expect(describeApp({ features, title: 'MongoDB Pool Lab', serverVersion: '8.2.1' })).toEqual({
    title: 'MongoDB Pool Lab',
    about: 'MongoDB 8.2.1',
  });
  expect(describeApp({ features, process: { pid: 42, node: 'v24.1.0', command: 'server.js' } })).toEqual({
    title: 'server.js',
    about: 'process 42 · Node.js 24.1.0',
  });
  expect(describeClient({ name: null, servers: ['a:1', 'b:2'] })).toBe('the first client, to a:1 and b:2');
  expect(describeClient({ name: 'jobs', servers: [] })).toBe('client jobs');
});

describe('predictions', () => {
  /** @type {Record<string, WhatIfRoute>} */
  const ROUTES = {
    '/fast': {
      count: 50,
      figure: 'p95Ms',
      measuredMs: 4200,
      predicted: [
        { ms: 4240, lowMs: 3900, highMs: 5100, reason: null, isSame: true },
        { ms: 2, lowMs: 2, highMs: 2, reason: null, isSame: false },
      ],
    },
    '/slow': {
      count: 5,
      figure: 'maxMs',
      measuredMs: 9100,
      predicted: [
        { ms: 9000, lowMs: 5000, highMs: 12_000, reason: null, isSame: true },
        { ms: 5012, lowMs: undefined, highMs: undefined, reason: null, isSame: false },
      ],
    },
  };
  const FOUND = { poolSizes: [1, 6], failures: [0, 0], unknownFailures: null };
  /** @param {string} text */
  const plain = (text) => text.replaceAll('\u00a0', ' ');

  test('a prediction names each figure, and what fails', () => {
    expect(plain(describePrediction(FOUND, ROUTES, 1))).toBe('With 6 connections: /fast p95 2 ms, /slow max 5.0 s.');
    const first = 'With 1 connection: /fast p95 4.2 s (3.9 to 5.1 s), /slow max 9.0 s (5.0 to 12.0 s)';
    expect(plain(describePrediction({ ...FOUND, failures: [3, 0] }, ROUTES, 0))).toBe(`${first}, 3 fail.`);
    /** @type {import('mongodb-pool-predictor').CodedFinding} */
    const unknownFailures = { code: 'unknownFailures', figures: { longestMs: 35 } };
    expect(plain(describePrediction({ ...FOUND, failures: [NaN, 0], unknownFailures }, ROUTES, 0))).toBe(
      `${first}. How many fail is unknown: ${explainReason(unknownFailures, { isBrief: true })}.`,
    );
    expect(plain(describeMeasured(1, ROUTES))).toBe('Measured with 1 connection: /fast p95 4.2 s, /slow max 9.1 s.');
  });

  test('never separates a number from its unit', () => {
    expect(describeMeasured(1, ROUTES)).toContain('/fast\u00a0p95\u00a04.2\u00a0s');
    expect(describePrediction(FOUND, ROUTES, 0)).toContain('4.2\u00a0s (3.9\u00a0to\u00a05.1\u00a0s),');
  });

  const ANSWERED = { poolSizes: [1, 6], recordedSize: 1, failures: [0, 0], isOpen: false };

  test('the best guess says from which size on more would not help; sizes that were not tried may be enough', () => {
    const say = (/** @type {number | null} */ size, isServerLimit = false) =>
      describeGuess({ best: { size, isServerLimit }, poolSizes: [1, 2, 5, 9] });
    const rest = 'at this load; pool-lab advise finds the size for a goal, with headroom.';
    expect(say(2)).toBe(`Best guess: 2 connections, because more would not help ${rest}`);
    expect(say(9)).toBe(`Best guess: 6 to 9 connections, because more would not help ${rest}`);
    expect(say(null)).toBe(`Best guess: more than 9 connections, because 9 are too few ${rest}`);
    expect(say(9, true)).toBe(`Best guess: 9 connections, because the server is the bottleneck above that ${rest}`);
    expect(describeGuess({ best: null, poolSizes: [] })).toBe('');
  });

  test('the answer is one sentence, of the route that changes most', () => {
    expect(describeAnswer(ANSWERED, ROUTES, 1)).toBe(
      'With 6 connections, /fast would have taken 2 ms instead of 4.2 s.',
    );
    expect(describeAnswer({ ...ANSWERED, isOpen: true, failures: [0, 1] }, ROUTES, 1)).toBe(
      'With 6 connections, /fast would have taken 2 ms instead of at least 4.2 s, and 1 request would have failed.',
    );
    expect(describeAnswer(ANSWERED, ROUTES, 0)).toBe('With 1 connection, as now, /slow took 9.1 s.');
    const { predicted } = ROUTES['/fast'];
    const same = { '/fast': { ...ROUTES['/fast'], predicted: predicted.map((each) => ({ ...each, isSame: true })) } };
    expect(describeAnswer({ ...ANSWERED, recordedSize: 9 }, same, 1)).toBe(
      'With 6 connections, /fast would have taken 2 ms, as with 9.',
    );
  });

  test('where the band is too wide for a figure, there is only the band', () => {
    const [, sure] = ROUTES['/fast'].predicted;
    const wide = { code: /** @type {const} */ ('wideBand'), figures: {} };
    const hidden = { ...sure, ms: NaN, lowMs: 300, highMs: 7000, reason: wide };
    const routes = { '/fast': { ...ROUTES['/fast'], predicted: [sure, hidden] } };
    expect(plain(describePrediction(FOUND, routes, 1))).toBe('With 6 connections: /fast p95 300 ms to 7.0 s.');
    expect(describeAnswer(ANSWERED, routes, 1)).toBe(
      'With 6 connections, /fast would have taken 300 ms to 7.0 s instead of 4.2 s.',
    );
    const both = { ...routes, '/slow': ROUTES['/slow'] };
    expect(describeAnswer(ANSWERED, both, 1)).toMatch(/, \/slow would have taken 5\.0 s instead of 9\.1 s/);
  });

  test.each([
    [2, 30, 'at most 30 ms'],
    [8000, 9000, 'at least 8.0 s'],
  ])(
    'a band from %d to %d ms, which does not have what was measured, says how much at least',
    (lowMs, highMs, then) => {
      const hidden = { ...ROUTES['/fast'].predicted[1], ms: NaN, lowMs, highMs };
      const routes = { ...ROUTES, '/fast': { ...ROUTES['/fast'], predicted: [hidden, hidden] } };
      const answer = describeAnswer({ ...ANSWERED, poolSizes: [2, 6] }, routes, lowMs < 10 ? 1 : 0);
      expect(answer).toContain(`, /fast would have taken ${then} instead of 4.2 s`);
    },
  );

  const whatIfOf = (/** @type {object} */ facts) =>
    /** @type {WhatIf} */ ({ poolSizes: /** @type {number[]} */ ([]), ...facts });
  /** @param {string} code @param {object} [figures] */
  const doubtOf = (code, figures = {}) => ({ doubt: { code, figures } });
  const FEW = doubtOf('fewRequests');

  test.each([
    [FEW, /^No prediction: there are fewer than 20 requests\.$/],
    [doubtOf('clientsGiveUp', { afterMs: 300, count: 9 }), /^No prediction: 9 clients left after 300 ms/],
    [{ doubt: null }, /^$/],
    [{ ...FEW, isOpen: true }, /^The queue is empty again\./],
  ])('why there are no figures is one sentence: %j', (facts, words) => {
    expect(explainDoubt(whatIfOf(facts), null)).toMatch(words);
  });

  test('who waits now, and how many connections would have been enough for them, comes before why', () => {
    const seconds = [createSecond({ max: 2, active: 2, waiting: 9 }), createSecond({ max: 1, active: 1, waiting: 6 })];
    const queueOf = (/** @type {object} */ pool, bottleneck = null) => {
      const state = takePool(createState(), createReading(pool), 0);
      return findQueue({ ...state, seconds, bottleneck });
    };
    const full = { max: 1, active: 1, waiting: 4 };
    const later = 'What each request would have taken follows when it is known.';
    expect(explainDoubt(undefined, queueOf(full))).toBe('4 wait. With 7 connections, nobody would have waited so far.');
    expect(explainDoubt(whatIfOf(FEW), queueOf({ ...full, waiting: 7 }))).toBe(
      `Still growing: 7 wait. With 8 connections, nobody would have waited so far. ${later}`,
    );
    // Not the pool's size, or far too many.
    const unknown = [queueOf({ ...full, max: 2 }), queueOf({ ...full, waiting: 1000 })];
    for (const queue of unknown) expect(explainDoubt(whatIfOf(FEW), queue)).not.toContain('With');
    expect(
      findQueue({ ...takePool(createState(), createReading(full), 0), seconds, bottleneck: { queries: 9, cores: 2 } })
        ?.enough,
    ).toBeNaN();
    expect(explainDoubt(whatIfOf({ ...FEW, isOpen: true }), queueOf({ ...full, waiting: 0 }))).toMatch(
      /^The queue is empty/,
    );
    const whys = explainDoubt(whatIfOf(doubtOf('unlimitedPool')), queueOf(full));
    expect(whys).toMatch(/^4 wait\..* No prediction: the pool has no limit/);
  });

  describe('the queries that would help most if they took less time', () => {
    /** @param {string} route @param {number[]} times */
    const kindOf = (route, times) => ({
      ...{ route, operation: 'find articles', share: 0.1 },
      tries: [0.9, 0.5, 0].map((factor, index) => ({ factor, ms: times[index] })),
    });
    const kinds = [kindOf('/slow', [900, 400, NaN]), ...Array.from('abcdef', (name) => kindOf(name, [990, 980, 9.5]))];
    const FIRST = /** @type {Speedups} */ (
      /** @type {unknown} */ ({
        ...{ target: { route: '/fast', figure: 'p95Ms' }, now: { ms: 1000, lowMs: 900, highMs: 1200 }, reason: null },
        ...{ kinds, best: kinds[0] },
      })
    );

    test('are in a table of five, where an unknown time is a dash', () => {
      const { caption, rows } = tabulateSpeedups(FIRST);
      expect(caption).toBe('p95 of /fast, now 1.0 s, if a query took less time (one simulation each)');
      expect(rows.slice(0, 3)).toEqual([
        ['query', '10 % less', 'half', 'never sent'],
        ['find articles of /slow', '900 ms', '400 ms', '–'],
        ['find articles of a', '990 ms', '980 ms', '9.5 ms'],
      ]);
      expect(rows).toHaveLength(1 + 5);
      const ofMean = { ...FIRST, target: { route: '/fast', figure: /** @type {const} */ ('meanMs') } };
      expect(tabulateSpeedups(ofMean).caption).toMatch(/^mean time of \/fast, now 1\.0 s, if /);
    });

    test('have no times where those are withheld, or nothing is sure', () => {
      expect(tabulateSpeedups({ ...FIRST, reason: { code: 'wideBand', figures: {} } }).rows).toEqual([]);
      expect(tabulateSpeedups({ ...FIRST, best: null }).rows).toEqual([]);
    });
  });
});

describe('what is announced', () => {
  const QUARTER_MS = 250;

  /**
   * What the announcer says while these states arrive, four per second.
   * @param {State[]} states
   * @param {string[]} [messages] of the app
   */
  function listen(states, messages) {
    let memory = createMemory();
    return states.flatMap((state, index) => {
      const nowMs = index * QUARTER_MS;
      const said = announce(memory, state, nowMs, messages);
      memory = said.memory;
      return said.message ? [{ atMs: nowMs, message: said.message }] : [];
    });
  }

  /** @param {Parameters<typeof listen>} args */
  const hear = (...args) => listen(...args).map(({ message }) => message);

  const BOTTLENECK = { queries: 64, cores: 2 };
  /** @param {number} waiting */
  const withQueue = (waiting) => takePool(createState(), createReading({ waiting }), 0);
  /** @param {number} seconds @param {(index: number) => State} create */
  const during = (seconds, create) => Array.from({ length: seconds * 4 }, (_, index) => create(index));

  test('a lasting queue and its end are each announced once', () => {
    expect(hear([...during(8, () => withQueue(3)), ...during(8, () => withQueue(0))])).toEqual([
      'No lane is free: requests are waiting.',
      'The queue is empty again.',
    ]);
  });

  test('a queue that comes and goes quickly is not announced', () => {
    expect(listen(during(30, (index) => withQueue(index % 2)))).toEqual([]);
  });

  test('five seconds of silence follow each sentence', () => {
    const said = listen(during(60, (index) => withQueue(Math.floor(index / 8) % 2)));

    expect(said.length).toBeGreaterThan(2);
    const pauses = said.slice(1).map(({ atMs }, index) => atMs - said[index].atMs);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5000);
  });

  test('the bottleneck and its end are announced before the queue in front of it', () => {
    const crowded = { ...withQueue(3), bottleneck: BOTTLENECK };

    expect(hear([...during(12, () => crowded), ...during(12, () => withQueue(0))])).toEqual([
      describeBottleneck(BOTTLENECK),
      'No lane is free: requests are waiting.',
      'The server is no longer the bottleneck.',
      'The queue is empty again.',
    ]);
  });

  test('what the app says comes in its turn, one sentence at a time', () => {
    const queue = during(12, () => withQueue(3));

    expect(hear(queue, ['The load test is over.', 'So is the next one.'])).toEqual([
      'The load test is over.',
      'So is the next one.',
      'No lane is free: requests are waiting.',
    ]);
  });

  test.each(
    /** @type {const} */ ([
      ['the app', { connection: 'lost' }, ['The app is not responding.', 'The app is responding again.']],
      [
        'MongoDB',
        { pool: createPool({ database: { reachable: false, reason: 'connect ECONNREFUSED' } }) },
        ['MongoDB is unreachable: requests fail.', 'MongoDB is back.'],
      ],
    ]),
  )('the loss and the return of %s are announced', (_, loss, messages) => {
    const live = /** @type {const} */ ({ ...withQueue(0), connection: 'live' });
    const lost = { ...live, ...loss };

    expect(hear([...during(1, () => live), ...during(8, () => lost), ...during(8, () => live)])).toEqual(messages);
  });
});
