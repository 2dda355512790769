import { replicate } from '../src/replicate.js';

/** A process that replicates as its argument says, until it is killed. */
const { done } = await replicate(JSON.parse(process.argv[2]));
process.send?.('begun');
await done;
