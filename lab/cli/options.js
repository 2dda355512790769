import { parseSlo } from 'mongodb-pool-predictor';
import { WORKERS } from '../../src/load-tests/artillery.js';
import { MAX_DELAY_MS } from '../../src/base/settings-table.js';
import {
  MAX_SEEDS,
  collect,
  parseCallers,
  parseCores,
  parseFirstSeed,
  parsePositive,
  parseText,
  parseUpTo,
  parseVariables,
} from './option-parsers.js';

/** @import { OptionRow } from './add-command.js' */

/** More threads than any machine has. */
const MAX_WORKERS = 1024;

/**
 * Options of a load that is a scenario.
 * @satisfies {Record<string, OptionRow>}
 */
const OF_SCENARIO = {
  environment: ['--environment <name>', 'environment of the scenario'],
  config: ['-c, --config <file>', 'file with the config of the scenario'],
  variables: ['-v, --variables <json>', `variables of the scenario, such as '{"rate": 5}'`, parseVariables],
  skipFunctions: [
    '--skip-functions',
    'leave out the function steps of the scenario: what their code does is not simulated',
  ],
  service: [
    '--service <route=time>',
    'service time of a query in ms: /slow=5000,\n' +
      '/x=exponential:MEAN or /x=lognormal:MEDIAN,SIGMA;\n' +
      "'/orders=12+30|40+5' for queries in turn, two at once;\n" +
      '/livez=none for a route without queries;\n' +
      "/report=work:32 for work that the server's cores do;\nrepeatable",
    collect(parseText),
  ],
  queries: [
    '--queries <route=n>',
    'queries of each request, one after another:\n/orders=3; repeatable',
    collect(parseText),
  ],
  app: ['--app <url>', 'take service times, overhead and pool settings from a running app (GET /pool)'],
  from: ['--from <result>', 'take service times and overhead from a result of `run mixed`'],
  workers: [
    '--workers <n>',
    "Artillery's worker threads, which share each arrivalRate",
    parseUpTo(MAX_WORKERS),
    WORKERS,
  ],
};

/**
 * Options of a load that is a trace.
 * @satisfies {Record<string, OptionRow>}
 */
const OF_TRACE = {
  client: ['--client <name>', 'of a trace with several pools: the client to predict, or HOST:PORT/NAME for one server'],
  process: ['--process <pid>', 'of a trace with several processes: the one to predict'],
  check: ['--check <trace>', 'check --trace: does it predict this recording of the same load at another pool size?'],
  callers: [
    '--callers <n>',
    'of a trace: how many clients sent its requests, each with its next request after the answer to its last; ' +
      '0: the requests arrived on their own (default: as the trace shows, and in the bands as few as possible)',
    parseCallers,
  ],
};

/**
 * All options about a load that is predicted.
 * @satisfies {Record<string, OptionRow>}
 */
const LOAD = {
  ...OF_SCENARIO,
  trace: [
    '--trace <file>',
    'replay a trace instead of a scenario; more of them, from pools of other sizes, show how queries slow each other ' +
      'down',
    collect(parseText),
  ],
  ...OF_TRACE,
  serverCores: [
    '--server-cores <n>',
    'cores that queries share; none: they never slow each other down (default: as the trace shows)',
    parseCores,
  ],
};

/** @type {OptionRow[]} */
export const LOAD_OPTIONS = Object.values(LOAD);

/**
 * The options that several commands have, by their names in camel case. A command picks by name.
 * @satisfies {Record<string, OptionRow>}
 */
export const OPTIONS = {
  ...LOAD,
  slo: ['--slo <goal>', "e.g. '/fast p99 < 50ms'; p50, p90, p95, p99, p99.9 or max; repeatable", collect(parseSlo)],
  instances: ['--instances <n>', 'instances of the app, each with its own pool', parsePositive],
  serverLimit: ['--server-limit <n>', 'connections that each server accepts', parsePositive],
  seeds: ['--seeds <n>', 'simulation runs of a random load', parseUpTo(MAX_SEEDS)],
  firstSeed: ['--first-seed <n>', 'seed of the first run; another seed gives other runs', parseFirstSeed, 1],
  seconds: ['--seconds <n>', 'stop after this many seconds', parseUpTo(Math.floor(MAX_DELAY_MS / 1000))],
  repeat: ['--repeat <n>', 'how many times to measure each variant; the repeats are interleaved', parseUpTo(1000), 1],
  mongo: [
    '--mongo <which>',
    'embedded starts a private MongoDB for the app and\nsets MONGODB_URI, MONGODB_URL, MONGO_URI, MONGO_URL',
    ['embedded'],
  ],
  outFolder: ['--out <dir>', 'folder for the report and the result (default: a new folder in results/)'],
  outPage: ['--out <file>', 'HTML file to write', parseText, 'report.html'],
  json: ['--json', 'print the result as one JSON object on stdout'],
  yes: ['--yes', 'do not ask'],
};

/**
 * @param {Record<string, unknown>} options
 * @param {'scenario' | 'trace'} source of the load
 * @throws {Error} naming an option that this source has no use for
 */
export function requireSource(options, source) {
  const [others, needed] =
    source === 'trace'
      ? [OF_SCENARIO, 'a scenario: a trace has its own requests and service times']
      : [OF_TRACE, '--trace: it is about what was recorded'];
  /** @type {[string, OptionRow][]} */
  const rows = Object.entries(others);
  for (const [name, [flags, , , initial = false]] of rows)
    if ((options[name] ?? initial) !== initial) throw new Error(`${/--[\w-]+/.exec(flags)} needs ${needed}`);
}

/**
 * An option with another text than other commands have.
 *
 * @param {keyof typeof OPTIONS} name
 * @param {string} about
 * @param {unknown} [initial] value
 * @returns {OptionRow}
 */
export function reword(name, about, initial) {
  /** @type {OptionRow} */
  const [flags, , parse, usual] = OPTIONS[name];
  return [flags, about, parse, initial ?? usual];
}
