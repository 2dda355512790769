export { advise } from './advise/advise.js';
export { compareFleet } from './advise/fleet.js';
export { parseSlo } from './advise/slo.js';
export { createScenarioLoad } from './load.js';
export { isPoisson, planUsers } from './planned-users.js';
export { parsePoolSizes } from './pool-sizes.js';
export { predict } from './predict.js';
export { quantile } from './quantile.js';
export { renameRoutes } from './scenario/route-names.js';
export { readTraceText } from './formats/trace.js';
export { readWorkload } from './scenario/workload.js';
export { overheadOfApp, servicesOfApp } from './service/app-services.js';
export { checkService } from './service/check-service.js';
export { listQueries } from './service/logged-times.js';
export { parseQueries } from './service/parse-queries.js';
export { parseServices } from './service/parse-service.js';
export { shareServer } from './server/share-server.js';
export { UNLIMITED, createRunSimulator } from './simulation-runs.js';
export { createRandom } from './simulator/random.js';
export { serviceMoments } from './simulator/service-time.js';
export { simulate } from './simulator/simulate.js';
export { checkTrace } from './trace/check-trace.js';
export { createTraceLoad, summariseTrace } from './trace/trace-load.js';

/**
 * @typedef {import('./advise/advise.js').Advice} Advice
 * @typedef {import('./advise/advise.js').Row} Row
 * @typedef {import('./advise/fleet.js').FleetFacts} FleetFacts
 * @typedef {import('./advise/overhead.js').Parts} Parts
 * @typedef {import('./advise/remedies.js').Remedy} Remedy
 * @typedef {import('./advise/saturation.js').Saturation} Saturation
 * @typedef {import('./advise/slo.js').Slo} Slo
 * @typedef {import('./load-facts.js').LoadFacts} LoadFacts
 * @typedef {import('./load.js').Load} Load
 * @typedef {import('./predict-recent-load.js').Prediction} Prediction
 * @typedef {import('./slowdown.js').Slowdown} Slowdown
 * @typedef {import('./trace/check-trace.js').TraceCheck} TraceCheck
 * @typedef {import('./trace/sessions.js').CallerFacts} CallerFacts
 * @typedef {import('./trace/trace-load.js').TraceLoad} TraceLoad
 * @typedef {import('./formats/trace.js').Trace} Trace
 * @typedef {import('./scenario/workload.js').RequestLine} RequestLine
 * @typedef {import('./scenario/workload.js').Workload} Workload
 * @typedef {import('./simulator/create-pool.js').PoolOptions} PoolOptions
 * @typedef {import('./simulator/service-time.js').Service} Service
 */
