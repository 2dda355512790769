import { isRecord, textOf } from '../base/json-value.js';
import { keyOf, leadingTemplates, nameRoutes, renameRoutes } from './route-names.js';
import { createUserData } from './user-data.js';
import { readStep } from './workload-flow.js';
import { createIssues } from './workload-issues.js';
import { readPhases } from './workload-phases.js';

/** @import { Workload, Scenario } from '../simulator/scenarios.js' */
/** @import { FlowContext } from './workload-flow.js' */
/** @import { Issue, Place } from './workload-issues.js' */
/** @import { Endpoint } from './route-names.js' */
/** @import { YamlPath } from './yaml-source.js' */

/** @typedef {Endpoint & Place & { route?: string }} RequestLine route: none for another host than the target */

// Artillery closes a socket after 8 s of silence, unless http.timeout is a number.
const AGENT_TIMEOUT_MS = 8000;
const SCENARIO_HOOKS = ['beforeScenario', 'afterScenario', 'beforeRequest', 'afterResponse', 'onError'];
/** The hook of our own load tests takes no time and only sets the port. */
const PORT_HOOK = 'findApp';

/**
 * @typedef {object} Script a scenario file, or what several files and the command line make of it
 * @property {any} value
 * @property {(path: YamlPath) => Place} placeAt
 */

/**
 * Turns an Artillery script (https://www.artillery.io/docs/reference/test-script) into a load to simulate.
 *
 * @param {Script} script
 * @param {object} [options]
 * @param {string} [options.file] its name, for messages
 * @param {boolean} [options.skipFunctions] leave out function steps, with a warning; default: refuse them
 * @param {(file: string) => string} [options.readPayload] reads a CSV file of config.payload; called with the name as
 *   written
 * @returns {Workload & { target: unknown, requests: RequestLine[], warnings: Issue[] }} requests: each request step of
 *   the file, once for each URL; warnings: parts that the simulation ignores or assumes
 * @throws {Error} naming everything that can't be simulated, each with its line
 */
export function createWorkload(
  { value, placeAt },
  { file = 'The scenario file', skipFunctions = false, readPayload } = {},
) {
  if (!isRecord(value) || !Array.isArray(value.scenarios)) throw new Error(`${file} has no list of scenarios`);
  const config = isRecord(value.config) ? value.config : {};
  const issues = createIssues(placeAt);
  const phases = readPhases(config, issues);
  /** @type {Map<string, Endpoint & Place>} */
  const endpoints = new Map();
  const keyed = readScenarios(value.scenarios, config, {
    issues,
    target: config.target,
    skipFunctions,
    ...createUserData(config, issues, readPayload),
    onRequest(path, endpoint) {
      const place = placeAt(path);
      endpoints.set(`${place.file} ${place.line} ${endpoint.url} ${keyOf(endpoint)}`, { ...place, ...endpoint });
    },
  });
  const names = nameRoutes([...endpoints.values()]);
  const timeoutMs = issues.attempt(['config', 'http', 'timeout'], () => readTimeoutMs(config));
  for (const hook of ['before', 'after']) {
    if (value[hook] !== undefined) issues.warn([hook], `${hook} runs once and is not part of the load: it is ignored`);
  }
  if (config.http?.pool !== undefined) {
    issues.warn(['config', 'http', 'pool'], "http.pool: the client's own limit on connections is ignored");
  }
  issues.throwIfRefused(file);
  return {
    target: config.target,
    phases,
    scenarios: keyed.map(({ steps, ...scenario }) => ({ ...scenario, steps: renameRoutes(steps, names) })),
    timeoutMs,
    requests: Array.from(endpoints.values(), (endpoint) => ({
      ...endpoint,
      ...(endpoint.isOwn && { route: names.get(keyOf(endpoint)) }),
    })),
    warnings: issues.warnings,
  };
}

/**
 * @param {any[]} scenarios
 * @param {any} config
 * @param {Omit<FlowContext, 'jitter' | 'values' | 'rounds'> & Pick<ReturnType<typeof createUserData>, 'chooseFor'>}
 *   context
 * @returns {Scenario[]} several for one whose URLs come from data
 */
function readScenarios(scenarios, config, { chooseFor, ...context }) {
  const { issues } = context;
  const jitter = (config.http?.defaults?.think ?? config.defaults?.think)?.jitter;
  const read = scenarios.flatMap((scenario, index) => {
    const path = ['scenarios', index];
    const { name, weight = 1, engine = config.engine ?? 'http', flow } = scenario ?? {};
    if (engine !== 'http') issues.refuse([...path, 'engine'], `engine ${textOf(engine)}: only http can be simulated`);
    if (!/^\d{1,9}$/.test(textOf(weight))) {
      issues.refuse(
        [...path, 'weight'],
        `weight must be a whole number of at most 9 digits, not ${JSON.stringify(weight)}`,
      );
    }
    if (!Array.isArray(flow)) issues.refuse(path, 'a scenario needs a flow, a list of steps');
    for (const hook of SCENARIO_HOOKS) {
      if (![undefined, PORT_HOOK].includes(scenario?.[hook])) issues.warn([...path, hook], `${hook} is not run`);
    }
    const steps = engine === 'http' && Array.isArray(flow) ? flow : [];
    return chooseFor(leadingTemplates(steps)).map(({ values, share }) => ({
      name,
      weight: Number(textOf(weight)) * share,
      steps: steps.flatMap((step, at) =>
        readListed(step, [...path, 'flow', at], { ...context, jitter, values, rounds: 1 }),
      ),
    }));
  });
  if (!read.some(({ weight }) => weight > 0)) issues.refuse(['scenarios'], 'every scenario has weight 0');
  return read;
}

/** A flow may have lists of steps, from YAML anchors. @type {typeof readStep} */
function readListed(step, path, context) {
  return Array.isArray(step)
    ? step.flatMap((inner, index) => readStep(inner, [...path, index], context))
    : readStep(step, path, context);
}

/** @param {any} config */
function readTimeoutMs(config) {
  const timeout = config.timeout || config.http?.timeout;
  if (timeout === undefined) return AGENT_TIMEOUT_MS;
  const ms = Number(textOf(timeout)) * 1000;
  if (typeof timeout === 'number' && !(timeout > 0))
    throw new Error(`http.timeout must be more than 0, not ${timeout}`);
  if (typeof timeout === 'number') return ms;
  return ms > 0 ? Math.min(ms, AGENT_TIMEOUT_MS) : AGENT_TIMEOUT_MS;
}
