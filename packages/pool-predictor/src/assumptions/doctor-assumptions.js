import { valuesOf } from './assumption.js';

/** When the doctor calls something a cause, or a problem. */
// prettier-ignore
export const DOCTOR_ASSUMPTIONS = {
  waitingShare: { value: 0.03, unit: 'share', evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-8'],
    why: 'waits are a problem if so many requests of a route have them' },
  slowQueriesMs: { value: 200, unit: 'ms',
    evidence: ['causes/none/closed-loop', 'loads/slow-beside-fast/recorded-at-8'],
    why: 'the queries of a request together are worth a word from here on' },
  blockedPerSecondMs: { value: 100, unit: 'ms',
    evidence: ['causes/busyMachine/aggregations', 'causes/lateEventLoop/closed-loop'],
    why: 'what blocks the event loop so long each second is a problem even if nobody waits for a connection' },
  openings: { value: 2, unit: 'openings', evidence: ['causes/maxConnecting/open-loop'],
    why: 'a wait longer than opening so many connections is due to how few are opened at the same time' },
  parkedShare: { value: 0.4, unit: 'of the pool', evidence: ['causes/parkedConnections/closed-loop'],
    why: 'parked connections are the cause from here on' },
  recoveryMs: { value: 2000, unit: 'ms', evidence: [],
    why: 'a pool that grows so soon after a clear grows because of the requests that piled up' },
  lostPerClear: { value: 2, unit: 'connections', evidence: [],
    why: 'a clear because of one of many connections that are ended one by one comes after as many others' },
  tooManyClients: { value: 10, unit: 'clients', evidence: ['causes/manyClients/tenants'],
    why: 'clients that stay are a problem even while nobody waits: each keeps three connections or more' },
  alikeQueries: { value: 5, unit: 'queries',
    evidence: ['causes/clientPerRequest/closed', 'loads/transactions-on-few-documents/recorded-at-2'],
    why: 'a request with fewer queries in turn costs little' },
  alikeQueriesMs: { value: 10, unit: 'ms', evidence: ['loads/queries-in-a-loop/recorded-at-8'],
    why: 'queries in turn that take less time together are not worth a word' },
  loopFull: { value: 0.95, unit: 'share', evidence: ['causes/clientPerRequest/closed'],
    why: 'an event loop has no room for more above this share of its time' },
  sharedCoresFull: { value: 0.5, unit: 'share',
    evidence: ['causes/busyMachine/aggregations', 'causes/fullServer/closed-loop'],
    why: "a server is full on the app's own machine, or where use times grow with the number in use, from here on" },
  coresBusy: { value: 0.25, unit: 'share',
    evidence: ['causes/jobAtOnce/every-1-7-s', 'causes/busyMachine/aggregations'],
    why: 'above it, a machine that other programs fill slows the queries of its server' },
  growthCheckouts: { value: 60, unit: 'checkouts', evidence: [],
    why: 'fewer checkouts of an operation show no growth' },
  growthSignificance: { value: 5, unit: 'standard errors', evidence: [],
    why: 'nor does a smaller slope' },
};

export const DOCTOR = valuesOf(DOCTOR_ASSUMPTIONS);
