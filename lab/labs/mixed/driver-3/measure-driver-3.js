import { fileURLToPath } from 'node:url';
import { startApp } from '../../../harness/app-process.js';
import { runScenario } from '../../../harness/loads/artillery-load.js';

/** @import { Context, Measurement, PlannedVariant } from '../../../harness/run-lab.js' */
/** @import { MixedPlan } from '../mixed-lab.js' */
/** @import { MixedFigures, MixedSettings } from '../mixed-view.js' */

/** The app's routes on the driver of 2020. */
const APP = fileURLToPath(new URL('./driver-3-app.js', import.meta.url));

/**
 * The same load on the driver of 2020. Its events don't show waits, so the client's figures are all there is.
 * @param {PlannedVariant<MixedSettings>} variant
 * @param {MixedPlan} plan
 * @param {Context & { shared: string }} context
 * @returns {Promise<Measurement<MixedFigures>>}
 */
export async function measureDriver3({ settings: { poolSize } }, { settings, workload }, { mongoUrl, signal, shared }) {
  const { slowMs, scenario, environment } = settings;
  const app = await startApp(
    { MONGO_URL: mongoUrl, MONGO_POOLSIZE: String(poolSize), SLOW_MS: String(slowMs) },
    { script: APP, args: [shared], signal },
  );
  try {
    const load = { scenario, target: app.url, environment, workload };
    const { figures, failed, warnings } = await runScenario(load, { signal: app.signal });
    return { measured: figures, failed, warnings };
  } finally {
    await app.stop();
  }
}
