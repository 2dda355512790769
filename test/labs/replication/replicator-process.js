import { replicate } from '../../../src/labs/replication/replicate.js';

/** A process that replicates as its argument says, until it is killed or done. */
const { done } = await replicate(JSON.parse(process.argv[2]));
await done;
