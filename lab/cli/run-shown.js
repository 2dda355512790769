import { runLab } from '../harness/run-lab.js';
import { ProgressBar } from './progress-bar.js';

/** @import { AnyLab } from '../harness/run-lab.js' */
/** @import { Settings } from '../../src/settings.js' */

/**
 * Runs a lab, and shows its progress on stderr.
 * @param {AnyLab} lab
 * @param {any} options its own
 * @param {{ settings: Settings, signal: AbortSignal, layOut?: (line: string) => string }} context
 */
export async function runShown(lab, options, { settings, signal, layOut = (line) => line }) {
  const progress = new ProgressBar(process.stderr);
  try {
    const report = (/** @type {string} */ line) => progress.report(layOut(line));
    return await runLab(lab, options, { settings, signal, report, onStep: (step) => progress.step(step) });
  } finally {
    progress.stop();
  }
}
