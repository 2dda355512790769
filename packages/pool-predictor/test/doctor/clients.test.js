import { describe, expect, test } from '@jest/globals';
import { diagnose } from '../../src/doctor/diagnose.js';
import { openRecording } from '../../src/predict/recording.js';
import { judgeTrust } from '../../src/predict/trust.js';
import { findClientUse } from '../../src/trace/client-use.js';
import { readLines } from './recordings.js';

/** @typedef {Record<string, any>} Line */

const ROUTES = ['/q', '/other'].map((name, id) => ({ define: 'route', id, name }));
const SITE = { event: 'clients', place: 'app.js:4', hosts: 'db:1' };

/**
 * A trace of an app: for each request its pool, and whether it is the first of its client. Opening a connection takes
 * 40 ms.
 *
 * @param {{ pool: number, isFirst?: boolean, route?: number | null }[]} requests one every 50 ms; route null: none
 * @param {{ pools?: number, addressOf?: (pool: number) => string, sites?: Line[], limit?: number }} [options]
 */
function record(requests, { pools = 1, addressOf = () => 'db:1', sites = [], limit } = {}) {
  const lines = requests.flatMap(({ pool, isFirst = false, route = 0 }, index) => {
    const wait = isFirst ? { waitMs: 41, openingMs: 40, fresh: true } : { waitMs: 0.1 };
    const of = route === null ? {} : { route, request: index };
    const at = { atMs: index * 50 };
    return [
      ...(isFirst ? [{ event: 'connectionReady', pool, connection: 1, durationMs: 40, atMs: index * 50 + 41 }] : []),
      { ...at, ...wait, useMs: 2, pool, connection: 1, ...of },
      ...(route === null ? [] : [{ ...at, ...of, durationMs: wait.waitMs + 3, status: 200 }]),
    ];
  });
  const options = { maxPoolSize: { value: 100, from: 'default' } };
  return readLines([
    { define: 'process', id: 0, pid: 7 },
    ...Array.from({ length: pools }, (_, id) => ({
      define: 'pool',
      id,
      name: `client ${id}`,
      address: addressOf(id),
      options,
    })),
    ...ROUTES,
    ...sites,
    ...lines,
    ...(limit ? [{ event: 'server', atMs: 100, connectionLimit: limit }] : []),
  ]);
}

/** @param {number} created @param {number} closed during the recording @param {Line} [more] */
const sites = (created, closed, { before = 0, ...more } = {}) => [
  { ...SITE, ...more, atMs: 0, created: before, closed: 0 },
  { ...SITE, ...more, atMs: 4000, created: before + created, closed, connections: before + created - closed },
];
const times = (/** @type {number} */ count, /** @type {(index: number) => any} */ of) =>
  Array.from({ length: count }, (_, index) => of(index));
/**
 * 40 clients, of which each serves every 40th request.
 * @param {number} count
 * @param {(index: number) => boolean} isFirst
 */
const serveTenants = (count, isFirst = () => false) =>
  times(count, (index) => ({ pool: index % 40, isFirst: isFirst(index) }));

/** @type {[string, Promise<import('../../src/reading/recorded-trace.js').RecordedTrace>, object][]} */
const MANY = [
  [
    'one in each request, left open',
    record(
      times(60, (pool) => ({ pool, isFirst: true })),
      { pools: 60, sites: sites(60, 0), limit: 819 },
    ),
    { cause: 'clientPerRequest', kind: 'perRequest', route: '/q', created: 60, open: 60, connections: 180, limit: 819 },
  ],
  [
    'one in each request, closed, which all have the same name',
    record(
      times(60, () => ({ pool: 0, isFirst: true })),
      { sites: sites(60, 60) },
    ),
    { cause: 'clientPerRequest', kind: 'perRequest', place: 'app.js:4', created: 60, open: 0, connections: 0 },
  ],
  [
    'one in each request of one route, while another shares one',
    record(
      times(80, (index) => (index % 4 === 0 ? { pool: 1 + index / 4, isFirst: true } : { pool: 0, route: 1 })),
      { pools: 21, sites: [...sites(0, 0, { place: 'app.js:2', before: 1 }), ...sites(20, 0)] },
    ),
    { cause: 'clientPerRequest', route: '/q', place: 'app.js:4', places: 1, created: 20, open: 20 },
  ],
  [
    'one in each job, closed',
    record(
      times(60, (index) => ({ pool: 0, isFirst: index % 6 === 0, route: null })),
      { sites: sites(10, 10) },
    ),
    { cause: 'clientPerRequest', kind: 'againAndAgain', route: null, created: 10 },
  ],
  [
    'one in each job, left open',
    record(
      times(60, (index) => ({ pool: Math.floor(index / 6), isFirst: index % 6 === 0, route: null })),
      { pools: 10, sites: sites(10, 0) },
    ),
    { cause: 'clientPerRequest', kind: 'againAndAgain', created: 10, open: 10 },
  ],
  [
    'one for each tenant, while they connect',
    record(
      serveTenants(80, (index) => index < 40),
      { pools: 40, sites: sites(40, 0) },
    ),
    { cause: 'manyClients', kind: 'stay', created: 40, open: 40, connections: 120, mayOpen: 4080, limit: null },
  ],
  [
    'one for each tenant, when nobody waits',
    record(serveTenants(80), { pools: 40, sites: sites(0, 0, { before: 40, hosts: 'db:1,db:2,db:3' }) }),
    { cause: 'manyClients', kind: 'stay', created: 0, open: 40, connections: 280, places: 1 },
  ],
  [
    'one for each tenant, which were found while they were used',
    record(serveTenants(80), { pools: 40, sites: sites(40, 0, { place: null }) }),
    { cause: 'manyClients', kind: 'stay', place: null, created: 0, open: 40, connections: 120 },
  ],
  [
    'from a monitor that does not count them',
    record(
      serveTenants(80, (index) => index < 40),
      { pools: 40 },
    ),
    { cause: 'manyClients', kind: 'stay', place: null, open: 40, connections: null },
  ],
  [
    'more than the server accepts',
    record(
      times(60, (index) => ({ pool: index % 6 })),
      { pools: 6, sites: sites(0, 0, { before: 6 }), limit: 600 },
    ),
    { cause: 'manyClients', kind: 'stay', open: 6, mayOpen: 612, limit: 600 },
  ],
];

describe('many clients of one server are the verdict', () => {
  test.each(MANY)('%s', async (_, recorded, expected) => {
    const trace = await recorded;
    const { cause, facts, isProblem } = diagnose(trace).verdict;
    expect(isProblem).toBe(true);
    expect({ cause, ...facts?.clients }).toMatchObject(expected);
  });

  // The shared one has a pool of its own, and most of the checkouts.
  test.each(MANY.filter(([name]) => !/shares one/.test(name)))('and there are no figures: %s', async (_, recorded) => {
    const recording = openRecording([await recorded]);
    expect(judgeTrust(recording, null).refusal).toMatchObject({
      code: 'manyClients',
      figures: { hosts: expect.any(String) },
    });
  });

  test('their openings are not blamed on a pool that must be filled in advance', async () => {
    const { causes } = diagnose(await MANY[5][1]);
    expect(causes.map(({ cause }) => cause)).toEqual(['manyClients', 'none']);
  });

  test('a tenant that is chosen has figures, but no name that many clients had', async () => {
    expect(openRecording([await MANY[6][1]], { client: 'client 3' }).trace.clients).toBeUndefined();
    expect(openRecording([await MANY[1][1]], { client: 'client 0' }).trace.clients).toMatchObject({
      kind: 'perRequest',
    });
  });
});

test.each([
  [9, 'none'],
  [10, 'manyClients'],
])('%i that stay while nobody waits: %s', async (count, cause) => {
  const trace = record(
    times(60, (index) => ({ pool: index % count })),
    { pools: count, sites: sites(0, 0, { before: count }) },
  );
  expect(diagnose(await trace).verdict.cause).toBe(cause);
});

test.each([
  [45, 'stay'],
  [48, 'perRequest'],
])('a client for %i of 60 requests: %s', async (count, kind) => {
  const trace = record(
    times(60, (pool) => ({ pool, isFirst: pool < count - 9 || pool >= 51 })),
    { pools: 60, sites: sites(count, 0) },
  );
  expect(findClientUse(await trace)).toMatchObject([{ kind, created: count }]);
});

describe('they are not', () => {
  const six = times(6, (index) => sites(0, 0, { place: `module-${index}.js:3`, before: 1 })).flat();
  const shared = record(
    times(60, (index) => ({ pool: index % 6 })),
    { pools: 6, sites: six },
  );

  test('if there are a few that nobody waits for, but they are named', async () => {
    const { verdict, settings } = diagnose(await shared);
    expect(verdict.cause).toBe('none');
    expect(settings).toMatchObject([
      { kind: 'manyClients', value: 6, clients: { places: 6, open: 6, connections: 18 } },
    ]);
  });

  test('if others have the pool that requests wait for', async () => {
    const main = times(60, (index) => ({ pool: index % 15 === 0 ? 1 + index / 15 : 0 }));
    const trace = await record(main, { pools: 6, sites: six });
    expect(openRecording([trace]).trace.clients).toBeUndefined();
  });

  test.each([
    [
      'four of one line',
      record(
        times(60, (index) => ({ pool: index % 4 })),
        { pools: 4, sites: sites(4, 0) },
      ),
    ],
    [
      'four in four requests',
      record(
        times(60, (index) => ({ pool: 0, isFirst: index < 4 })),
        { sites: sites(4, 4) },
      ),
    ],
    [
      'one for each of 40 servers',
      record(serveTenants(60), {
        pools: 40,
        addressOf: (pool) => `db:${pool}`,
        sites: times(40, (each) => sites(0, 0, { before: 1, hosts: `db:${each}` })).flat(),
      }),
    ],
  ])('if there are %s', async (_, recorded) => {
    expect(findClientUse(await recorded)).toEqual([]);
  });
});
