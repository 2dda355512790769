import { handles } from './handles.js';
import { inserts } from './inserts.js';
import { mixed } from './mixed.js';

/** Every lab there is, by name. @type {Record<string, import('../bench/run-lab.js').Lab>} */
export const labs = { mixed, handles, inserts };
