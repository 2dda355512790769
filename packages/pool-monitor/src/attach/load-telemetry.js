import { createRequire } from 'node:module';
import path from 'node:path';
import { createTelemetry } from '../otel/telemetry.js';

/** @import { Guard } from '../core/event-batch.js' */

/**
 * Finds the app's own copy of OpenTelemetry's API: from its entry file, from where it was started, or beside this
 * package.
 *
 * @param {Guard} guard
 * @throws {Error} if it is not installed
 */
export function loadTelemetry(guard) {
  const require = createRequire(import.meta.url);
  const paths = [path.dirname(process.argv[1] ?? '.'), process.cwd(), import.meta.dirname];
  try {
    return createTelemetry(require(require.resolve('@opentelemetry/api', { paths })), { guard });
  } catch (cause) {
    throw new Error('POOL_MONITOR_OTEL=on needs @opentelemetry/api, which the app does not have', { cause });
  }
}
