/**
 * What was found out, as data: a code, and the numbers and names that its sentence needs. The sentences are in one
 * table, universal/finding-words.js of mongodb-pool-page.
 *
 * @typedef {object} CodedFinding
 * @property {FindingCode} code
 * @property {any} figures of `nobodyWaited` to `figures`: the TraceCheck; of manyClients: the ClientUse; of `noSockets`
 *   to `lateLoop`: the CallerFacts; of clientsGiveUp: after how many ms, and how many did; of unknownFailures: the
 *   longestMs that clients waited; else nothing
 *
 * @typedef {'nobodyWaited' | 'fewWaits' | 'fewRequests' | 'unknownSize' | 'unlimitedPool'} UncheckedCode why a
 *   recording was not checked. unknownSize: it does not say how large its pool was; unlimitedPool: that had no limit
 *
 * @typedef {'otherWaits' | 'unserved' | 'figures'} FailedCode why the check of a recording fails: something else than
 *   the pool made requests wait; many got no connection; or the simulated figures are not the recorded ones
 *
 * @typedef {'noSockets' | 'sharedSockets' | 'lateLoop'} CallersCode why a trace does not show who waits for answers
 *
 * @typedef {UncheckedCode | FailedCode | CallersCode | 'manyClients' | 'growingQueue' | 'unknownServer' | 'busyServer'
 *   | 'busyLoop' | 'wideBand' | 'clientsGiveUp' | 'unknownFailures'} FindingCode why figures are not shown.
 *   manyClients: the pool is one of many, and the size of one decides little.
 *   growingQueue: where requests pile up on a full server, a query with a fifth more work makes the queue twice as
 *   long, and at other sizes it may need that.
 *   unknownServer: a recording with one size of a full pool does not show whether its queries slow each other down.
 *   busyServer, busyLoop: the server, or the event loop of the app, would have more to do, or less.
 *   wideBand: the measured figure may be twice as large, or half.
 *   clientsGiveUp: clients left after a time limit of theirs, and may have tried again.
 *   unknownFailures: clients may leave before they are answered, which no setting shows
 */
