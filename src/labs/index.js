import { handles } from './handles.js';
import { mixed } from './mixed.js';

/** Every lab there is, by name. @type {Record<string, import('../bench/run-lab.js').Lab>} */
export const labs = { handles, mixed };
