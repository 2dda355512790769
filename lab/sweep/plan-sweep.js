import { access } from 'node:fs/promises';
import path from 'node:path';
import { createScenarioLoad } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { WORKERS } from '../../src/load-tests/artillery.js';
import { printCommand, toPrintable } from '../../src/base/printable.js';
import { reasonOf } from '../../src/base/files.js';

/** @import { SweepScenario } from './size-prediction.js' */
/** @import { SweepOptions, SweepPlan } from './sweep-lab.js' */

/** Start and end of Artillery and the app, in ms: an estimate for the progress bar. */
const OVERHEAD_MS = 10_000;
/** How long a load command takes is not known. */
const COMMAND_MS = 30_000;

/** @param {SweepOptions} options @returns {Promise<SweepPlan>} */
export async function planSweep({ command, load, target, client, poolSizes, slo = [], warmUp, ...options }) {
  const read = await readForPrediction(options);
  const { scenario, environment, config, variables } = options;
  const durationMs = read.workload ? createScenarioLoad(read.workload, { workers: WORKERS }).durationMs : COMMAND_MS;
  return {
    ...read,
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
    variants: poolSizes.map((poolSize) => ({
      name: `pool ${poolSize}`,
      settings: { poolSize },
      estimateMs: durationMs + OVERHEAD_MS + warmUp * 1000,
    })),
  };
}

/**
 * Artillery can run more than can be simulated.
 * @param {Pick<SweepOptions, 'scenario' | 'environment' | 'config' | 'variables'>} options
 * @returns {Promise<{ workload?: SweepScenario, warnings: string[] }>}
 */
async function readForPrediction({ scenario, environment, config, variables }) {
  if (scenario === undefined) return { warnings: [] };
  const files = [...scenario, ...(config === undefined ? [] : [config])];
  for (const file of files) {
    await access(file).catch((cause) => {
      throw new Error(`${file} can't be read: ${reasonOf(cause)}`, { cause });
    });
  }
  const [first, ...others] = files;
  try {
    const workload = await readScenario(first, { environment, variables, others, skipFunctions: true });
    const warnings = workload.warnings.map(
      ({ file = first, line, message }) => `${nameFile(file)}, line ${line}, in the prediction: ${message}`,
    );
    return { workload, warnings };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    return { warnings: [`the prediction replays the requests as they arrived: ${message}`] };
  }
}

/** @param {string} file */
export function nameFile(file) {
  return path.relative(process.cwd(), file);
}
