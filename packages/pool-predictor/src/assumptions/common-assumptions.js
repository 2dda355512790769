import { valuesOf } from './assumption.js';

// prettier-ignore
export const COMMON_ASSUMPTIONS = {
  minRequests: { value: 20, unit: 'requests', evidence: ['causes/concurrencyLimit/open-loop'],
    why: 'fewer requests, checkouts or waits tell nothing: their p95 is the longest one' },
  few: { value: 5, unit: 'requests', evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-8'],
    why: 'fewer waits, or checkouts that are still open at the end, are like those of any recording' },
  atLeast: { value: 3, unit: 'times', evidence: ['loads/transactions-on-few-documents/recorded-at-2'],
    why: 'what fails, is refused, begins again or is alike less often happens to any app' },
  waitedMs: { value: 1, unit: 'ms',
    evidence: ['loads/CPU-bound-0-3-of-the-server/recorded-at-2', 'loads/CPU-bound-0-8-of-the-server/recorded-at-8'],
    why: 'what is shorter is the work of the driver and of the process, or of two clocks' },
  lateMs: { value: 5, unit: 'ms',
    evidence: ['causes/concurrencyLimit/closed-loop', 'loads/a-server-8-ms-away/recorded-at-8'],
    why: 'in a busy process, what one event leads to comes up to this much later' },
  reactionMs: { value: 50, unit: 'ms', evidence: [],
    why: 'what a time limit, a broken connection or a server that is back leads to comes within this time' },
  slowMs: { value: 50, unit: 'ms', evidence: ['causes/coldStart/closed-loop', 'causes/coldStart/open-loop'],
    why: 'a handshake, a failed operation, time outside the database, a blocked event loop: all matter from here on' },
  rareShare: { value: 0.01, unit: 'share', evidence: [],
    why: 'what so few checkouts or operations have decides no p99' },
  smallShare: { value: 0.05, unit: 'share',
    evidence: ['loads/time-outs/recorded-at-2', 'loads/slow-beside-fast/recorded-at-2'],
    why: 'a difference, or an exception, of this share changes nothing that anybody acts on' },
  problemShare: { value: 0.1, unit: 'share',
    evidence: ['loads/callers-beside-other-programs/recorded-at-8', 'loads/CPU-bound-0-3-of-the-server/recorded-at-2'],
    why: 'waits, openings, failures and slower queries are a problem from this share on' },
  mostShare: { value: 0.5, unit: 'share',
    evidence: ['causes/busyMachine/aggregations', 'causes/fullServer/closed-loop'],
    why: 'more than half: a caller is there for so much of the trace, queries take so much of a response' },
  nearlyAllShare: { value: 0.8, unit: 'share', evidence: ['causes/manyClients/tenants'],
    why: 'of requests: a route creates a client in each, or a limit in the app hands over its places' },
  fullShare: { value: 0.9, unit: 'share', evidence: ['causes/twoClients/closed-loop', 'causes/none/open-loop'],
    why: 'a machine is full above this share of its cores, a server if queries wait for them for so much of the time' },
};

export const COMMON = valuesOf(COMMON_ASSUMPTIONS);
