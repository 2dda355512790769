/** @import { Handle } from './browser/screens.js' */

/** @type {Record<'load' | 'pool', (Handle & { zero?: string })[]>} */
export const SANDBOX_HANDLES = {
  load: [
    { name: 'rate', label: 'Requests', min: 1, max: 400, value: 20, unit: 'per second' },
    { name: 'admins', label: 'Of them buses', min: 0, max: 50, value: 5, unit: 'in 100' },
    { name: 'fast', label: 'A Ferrari takes', min: 1, max: 100, value: 2, unit: 'ms' },
    { name: 'slow', label: 'A bus takes', min: 10, max: 5000, step: 10, value: 1000, unit: 'ms' },
  ],
  pool: [
    { name: 'pool', label: 'Lanes', min: 1, max: 100, value: 3 },
    { name: 'timeout', label: 'Give up waiting after', min: 0, max: 5000, step: 50, value: 0, unit: 'ms', zero: 'never' },
    { name: 'second', label: 'A second client for buses', min: 0, max: 20, value: 0, unit: 'more lanes', zero: 'none' },
    { name: 'cap', label: 'Buses at once, at most', min: 0, max: 20, value: 0, zero: 'no limit' },
    { name: 'cores', label: 'Cores that queries share', min: 0, max: 16, value: 0, zero: 'queries only sleep' },
  ],
};
