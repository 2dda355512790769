import { replicate } from '../src/replicate.js';

/** Replicates with the options in its argument until it is killed. */
const { done } = await replicate(JSON.parse(process.argv[2]));
process.send?.('begun');
await done;
