import { PoolClient } from 'mongodb-pool-page/client';
import { diagnose, readTraceText } from 'mongodb-pool-predictor';

/** @import { Diagnosis } from 'mongodb-pool-predictor' */

/**
 * Why the requests of a process waited, in the last minute.
 *
 * @param {string} url of its monitor
 * @param {{ timeoutMs: number, signal?: AbortSignal }} options
 * @returns {Promise<Diagnosis | undefined>} undefined without a checkout, or from an older monitor, which has no trace
 */
export async function diagnoseRecent(url, { timeoutMs, signal }) {
  const trace = await new PoolClient(url, { timeoutMs }).recentTrace(signal).catch(() => '');
  return trace === '' ? undefined : diagnose(await readTraceText(trace));
}
