import { handles } from './handles.js';
import { inserts } from './inserts.js';
import { mixed } from './mixed.js';
import { remedies } from './remedies.js';
import { replication } from './replication.js';
import { sessions } from './sessions.js';

/** Every lab there is, by name. @type {Record<string, import('../bench/run-lab.js').Lab>} */
export const labs = { mixed, sessions, handles, inserts, replication, remedies };
