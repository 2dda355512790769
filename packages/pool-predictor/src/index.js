export { advise } from './advise/advise.js';
export { sizeByCommonRule } from './advise/common-rule.js';
export { samplesNeeded } from './advise/confidence.js';
export { compareFleet } from './advise/fleet.js';
export { parseSlo } from './advise/slo.js';
export { CAUSED_BY_QUERIES } from './doctor/causes.js';
export { diagnose, judgeTrace, listLongestWaits } from './doctor/diagnose.js';
export { findTimeouts } from './doctor/timeout-findings.js';
export { createScenarioLoad } from './load/scenario-load.js';
export { isPoisson, planUsers } from './load/scenario-load.js';
export { parsePoolSizes } from './predict/pool-sizes.js';
export { predict } from './predict/predict.js';
export { quantile } from './base/sample-statistics.js';
export { readWorkload } from './scenario/read-workload.js';
export { createWorkload } from './scenario/workload.js';
export { parseYaml } from './scenario/yaml-source.js';
export { overheadOfApp, servicesOfApp } from './service/app-services.js';
export { checkService } from './service/app-services.js';
export { parseQueries } from './service/parse-service.js';
export { parseServices } from './service/parse-service.js';
export { shareServer } from './server/share-server.js';
export { UNLIMITED } from './simulator/create-pool.js';
export { createRunSimulator } from './runs/simulation-runs.js';
export { createRandom } from './simulator/random.js';
export { NO_OVERHEAD, meanServiceMs } from './simulator/service-time.js';
export { simulate } from './simulator/simulate.js';
export { parseChange } from './speedup/query-kinds.js';
export { findSpeedups, tryChange } from './speedup/speedups.js';
export { SLOW_ROUTES, poolOfApp, poolOfRecording } from './predict/pool-settings.js';
export { checkRecording, openRecording, pickReplayed } from './predict/recording.js';
export { groupHidden, hideUncertain } from './predict/shown-figures.js';
export { judgeTrust } from './predict/trust.js';
export { MIN_FOR_PERCENTILES, guessBest } from './predict/size-comparison.js';
export { findClientUse } from './trace/client-use.js';
export { readTraceText } from './reading/read-trace.js';
export { isCalled, nameClient, nameWithServer, pickPool } from './trace/pick-pool.js';
export { EVENTS, OUTCOMES } from './reading/recorded-trace.js';
export { createTraceLoad } from './load/trace-load.js';
export { summariseTrace } from './trace/trace.js';

/**
 * @typedef {import('./advise/advise.js').Advice} Advice
 * @typedef {import('./advise/advised-size.js').AdviceRow} AdviceRow
 * @typedef {import('./advise/first-size.js').FirstSize} FirstSize
 * @typedef {import('./advise/fleet.js').FleetFacts} FleetFacts
 * @typedef {import('./advise/overhead.js').ResponseParts} ResponseParts
 * @typedef {import('./advise/remedies.js').Remedy} Remedy
 * @typedef {import('./advise/saturation.js').Saturation} Saturation
 * @typedef {import('./advise/slo.js').Slo} Slo
 * @typedef {import('./doctor/causes.js').Cause} Cause
 * @typedef {import('./trace/client-use.js').ClientUse} ClientUse
 * @typedef {import('./doctor/busiest.js').BusiestPool} BusiestPool
 * @typedef {import('./doctor/diagnose.js').Diagnosis} Diagnosis
 * @typedef {import('./doctor/diagnose.js').CauseShare} CauseShare
 * @typedef {import('./doctor/cause-facts.js').CauseFacts} CauseFacts
 * @typedef {import('./doctor/proofs.js').Proof} Proof
 * @typedef {import('./doctor/diagnosis-findings.js').DiagnosisFinding} DiagnosisFinding
 * @typedef {import('./doctor/failed-operations.js').FailedOperations} FailedOperations
 * @typedef {import('./doctor/repeated-queries.js').RepeatedQueries} RepeatedQueries
 * @typedef {import('./doctor/transaction-costs.js').TransactionCosts} TransactionCosts
 * @typedef {import('./doctor/setting-findings.js').SettingFinding} SettingFinding
 * @typedef {import('./load/load-facts.js').LoadFacts} LoadFacts
 * @typedef {import('./speedup/speedups.js').Speedups} Speedups
 * @typedef {import('./speedup/speedups.js').WhatIfQueries} WhatIfQueries
 * @typedef {import('./speedup/query-kinds.js').WhatIfChange} WhatIfChange
 * @typedef {import('./load/load.js').Load} Load
 * @typedef {import('./runs/run-figures.js').PredictedFigures} PredictedFigures
 * @typedef {import('./predict/pool-settings.js').AppPool} AppPool
 * @typedef {import('./predict/size-comparison.js').BestGuess} BestGuess
 * @typedef {import('./predict/recording.js').Recording} Recording
 * @typedef {import('./base/finding.js').CodedFinding} CodedFinding
 * @typedef {import('./predict/shown-figures.js').HiddenFigures} HiddenFigures
 * @typedef {import('./predict/shown-figures.js').ShownFigure} ShownFigure
 * @typedef {import('./predict/trust.js').Trust} Trust
 * @typedef {import('./predict/what-if.js').WhatIf} WhatIf
 * @typedef {import('./predict/what-if.js').WhatIfRoute} WhatIfRoute
 * @typedef {import('./predict/size-comparison.js').Slowdown} Slowdown
 * @typedef {import('./predict/check-trace.js').TraceCheck} TraceCheck
 * @typedef {import('./trace/sessions.js').CallerFacts} CallerFacts
 * @typedef {import('./load/trace-load.js').TraceLoad} TraceLoad
 * @typedef {import('./trace/trace.js').Trace} Trace
 * @typedef {import('./reading/recorded-trace.js').RecordedTrace} RecordedTrace
 * @typedef {import('./reading/recorded-trace.js').RecordedPool} RecordedPool
 * @typedef {import('./scenario/workload.js').RequestLine} RequestLine
 * @typedef {import('./simulator/scenarios.js').Workload} Workload
 * @typedef {import('./simulator/create-pool.js').PoolOptions} PoolOptions
 * @typedef {import('./simulator/service-time.js').Service} Service
 */
