import { valuesOf } from './assumption.js';

// prettier-ignore
export const COMMON_ASSUMPTIONS = {
  minRequests: { value: 20, unit: 'requests', evidence: [],
    why: 'fewer requests, checkouts or waits tell nothing: their p95 is the longest one' },
  few: { value: 5, unit: 'requests', evidence: [],
    why: 'fewer waits, or checkouts that are still open at the end, are like those of any recording' },
  atLeast: { value: 3, unit: 'times', evidence: [],
    why: 'what fails, is refused, begins again or is alike less often happens to any app' },
  waitedMs: { value: 1, unit: 'ms', evidence: [],
    why: 'what is shorter is the work of the driver and of the process, or of two clocks' },
  lateMs: { value: 5, unit: 'ms', evidence: [],
    why: 'in a busy process, what one event leads to comes up to this much later' },
  reactionMs: { value: 50, unit: 'ms', evidence: [],
    why: 'what a time limit, a broken connection or a server that is back leads to comes within this time' },
  slowMs: { value: 50, unit: 'ms', evidence: [],
    why: 'a handshake, a failed operation, time outside the database, a blocked event loop: all matter from here on' },
  rareShare: { value: 0.01, unit: 'share', evidence: [],
    why: 'what so few checkouts or operations have decides no p99' },
  smallShare: { value: 0.05, unit: 'share', evidence: [],
    why: 'a difference, or an exception, of this share changes nothing that anybody acts on' },
  problemShare: { value: 0.1, unit: 'share', evidence: [],
    why: 'waits, openings, failures and slower queries are a problem from this share on' },
  mostShare: { value: 0.5, unit: 'share', evidence: [],
    why: 'more than half: a caller is there for so much of the trace, queries take so much of a response' },
  nearlyAllShare: { value: 0.8, unit: 'share', evidence: [],
    why: 'of requests: a route creates a client in each, or a limit in the app hands over its places' },
  fullShare: { value: 0.9, unit: 'share', evidence: [],
    why: 'a machine is full above this share of its cores, a server if queries wait for them for so much of the time' },
};

export const COMMON = valuesOf(COMMON_ASSUMPTIONS);
