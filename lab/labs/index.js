import { handles } from './handles/handles-lab.js';
import { inserts } from './inserts/inserts-lab.js';
import { mixed } from './mixed/mixed-lab.js';
import { remedies } from './remedies/remedies-lab.js';
import { replication } from './replication/replication-lab.js';
import { saturation } from './saturation/saturation-lab.js';
import { sessions } from './sessions/sessions-lab.js';
import { utilisation } from './utilisation/utilisation-lab.js';

/** @type {Record<string, import('../harness/run-lab.js').AnyLab>} */
export const labs = { mixed, sessions, handles, inserts, replication, remedies, saturation, utilisation };
