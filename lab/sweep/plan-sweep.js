import { access } from 'node:fs/promises';
import path from 'node:path';
import { createScenarioLoad } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { WORKERS, findArtillery } from '../../src/load-tests/artillery.js';
import { printCommand, toPrintable } from '../../src/base/printable.js';
import { reasonOf } from '../../src/base/files.js';

/** @import { RequestLine, Workload } from 'mongodb-pool-predictor' */
/** @import { SweepOptions, SweepPlan } from './sweep-lab.js' */

/** @typedef {Workload & { requests: RequestLine[] }} SweepScenario */

/** Start and end of Artillery and the app, in ms: an estimate for the first size. */
const OVERHEAD_MS = 10_000;

/** @param {SweepOptions} options @returns {Promise<SweepPlan>} @throws {Error} for a scenario, without Artillery */
export async function planSweep({ command, load, target, client, poolSizes, slo = [], warmUp, ...options }) {
  if (options.scenario !== undefined) findArtillery();
  const workload = await readWorkloadOf(options);
  const { scenario, environment, config, variables } = options;
  // How long a load command takes is not known.
  const durationMs = workload ? createScenarioLoad(workload, { workers: WORKERS }).durationMs : NaN;
  const estimateMs = durationMs + OVERHEAD_MS + warmUp * 1000;
  return {
    workload,
    settings: {
      command: printCommand(command),
      target: target && toPrintable(target),
      client,
      poolSizes,
      warmUp,
      goals: slo.map(({ text }) => text),
      ...(scenario === undefined
        ? { load: printCommand(String(load).split(' ')) }
        : { scenario: scenario.map(nameFile).join(' '), environment, config: config && nameFile(config), variables }),
    },
    variants: poolSizes.map((poolSize) => ({ name: `pool ${poolSize}`, settings: { poolSize }, estimateMs })),
    areAlike: true,
  };
}

/**
 * Reads the scenario, to know its routes and how long it lasts.
 * @param {Pick<SweepOptions, 'scenario' | 'environment' | 'config' | 'variables'>} options
 * @returns {Promise<SweepScenario | undefined>} undefined without a scenario, or for one with what only Artillery knows
 * @throws {Error} naming a file that can't be read
 */
async function readWorkloadOf({ scenario, environment, config, variables }) {
  if (scenario === undefined) return undefined;
  const files = [...scenario, ...(config === undefined ? [] : [config])];
  for (const file of files) {
    await access(file).catch((cause) => {
      throw new Error(`${file} can't be read: ${reasonOf(cause)}`, { cause });
    });
  }
  const [first, ...others] = files;
  return readScenario(first, { environment, variables, others, skipFunctions: true }).catch(() => undefined);
}

/** @param {string} file */
export function nameFile(file) {
  return path.relative(process.cwd(), file);
}
