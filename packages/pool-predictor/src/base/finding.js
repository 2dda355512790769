/**
 * What was found out, as data: a code, and the numbers and names that its sentence needs. The sentences are in one
 * table, universal/finding-words.js of mongodb-pool-page.
 *
 * @typedef {object} CodedFinding
 * @property {FindingCode} code
 * @property {any} figures of manyClients: the ClientUse; of otherRecording: the TraceCheck; of ownRuns: the Denial; of
 *   clientsGiveUp: after how many ms, and how many did; of unknownFailures: the longestMs that clients waited; of
 *   wideBand: as few callers as could have sent the requests; of transactions: the ConflictCounts; else nothing
 *
 * @typedef {'manyClients' | 'clientsGiveUp' | 'transactions' | 'unserved' | 'otherRecording' | 'unknownServer'
 *   | 'ownRuns' | 'wideBand' | 'unknownFailures' | 'fewRequests' | 'unlimitedPool' | 'unknownSize'} FindingCode why
 *   figures are not shown.
 *   manyClients: the pool is one of many, and the size of one decides little.
 *   clientsGiveUp: clients left after a time limit of theirs, and may have tried again.
 *   transactions: they failed because of each other, and do so more often the longer they wait for a connection.
 *   unserved: many requests got no connection.
 *   otherRecording: another recording is not what this one predicts.
 *   unknownServer: nothing shows whether the queries of a full pool slow each other down.
 *   wideBand: the measured figure may be twice as large, or half.
 *   ownRuns: the simulation does not give what was recorded at the same size.
 *   unknownFailures: clients may leave before they are answered, which no setting shows
 */
