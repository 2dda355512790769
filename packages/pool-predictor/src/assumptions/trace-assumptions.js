import { valuesOf } from './assumption.js';

/** What a recording shows: which times are the same, and who waits for answers. */
// prettier-ignore
export const TRACE_ASSUMPTIONS = {
  // At 60 requests a second, handlers that compute for 5 ms make the loop late by only 1.0 to 1.4 ms, and are missed.
  lateLoopMs: { value: 1.5, unit: 'ms',
    evidence: ['loads/CPU-bound-1-5-of-the-server/recorded-at-2', 'loads/CPU-bound-1-5-of-the-server/recorded-at-8'],
    why: '45 recordings: late by 0.4 to 1.3 ms on average; 1.7 to 5.8 where handlers compute and blur who came first' },
  manyClients: { value: 5, unit: 'clients', evidence: ['causes/twoClients/closed-loop', 'causes/manyClients/tenants'],
    why: 'fewer clients of one server can have their reasons, such as a pool for change streams' },
  keepComingShare: { value: 0.25, unit: 'share', evidence: [],
    why: 'of clients: a third of those that come regularly are new in the last third, less of 40 tenants' },
  brokenShare: { value: 0.1, unit: 'share',
    evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-2', 'loads/users-who-think/recorded-at-2'],
    why: 'sockets of one client break its order in so many chances: an answer reaches it a little later' },
  pairNats: { value: 3, unit: 'nats', evidence: ['causes/fullPool/open-loop', 'loads/users-who-think/recorded-at-2'],
    why: 'evidence, 20 to 1: that two sockets have one client, or of one opened while all others are in use' },
  clientNats: { value: 5, unit: 'nats',
    evidence: ['causes/lateEventLoop/closed-loop', 'causes/repeatedQueries/in-turn'],
    why: 'evidence, 150 to 1: that the users of all sockets of a client wait for their answers, or do not' },
  fullSocketsShare: { value: 0.15, unit: 'share', evidence: ['causes/repeatedQueries/in-turn'],
    why: 'of the time: users who hardly think have all sockets in use for 0.56 to 0.77 of it, others at most 0.06' },
  openedShare: { value: 1 / 3, unit: 'share',
    evidence: ['causes/fullServer/closed-loop', 'causes/maxConnecting/closed-loop'],
    why: 'where clients open sockets for more of the requests, most are too few to tell users from arrivals' },
  openedKeptShare: { value: 0.15, unit: 'share',
    evidence: ['loads/CPU-bound-1-5-of-the-server/recorded-at-2', 'causes/maxConnecting/closed-loop'],
    why: 'the same without the sockets that have only one request' },
  silenceRatio: { value: 3, unit: 'think times', evidence: ['loads/callers-beside-other-programs/recorded-at-8'],
    why: 'a caller counts as active at the end if it was silent for less than so many of its longest think times' },
  blockRequests: { value: 10, unit: 'requests',
    evidence: ['loads/callers-beside-other-programs/recorded-at-8', 'causes/concurrencyLimit/closed-loop'],
    why: 'of a caller, in a row: enough to keep slow and fast spells together' },
  limitedShare: { value: 0.2, unit: 'share', evidence: ['loads/a-limit-in-the-app/recorded-at-8'],
    why: 'of its time: a request that waited for so much before its first checkout may have waited for a limit' },
  withinLimitShare: { value: 0.98, unit: 'share', evidence: ['loads/a-limit-in-the-app/recorded-at-8'],
    why: 'of such waits: no more requests have a place meanwhile' },
};

export const TRACE = valuesOf(TRACE_ASSUMPTIONS);
