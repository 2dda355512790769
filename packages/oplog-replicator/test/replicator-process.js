import { replicate } from '../src/replication/replicate.js';

/** Replicates with the options in its argument until SIGTERM. Then it reports the most memory that it used. */
const { done, stop } = await replicate(JSON.parse(process.argv[2]));
process.once('SIGTERM', stop);
process.send?.('begun');
await done;
process.send?.({ peakRssMB: (process.resourceUsage().maxRSS * 1024) / 1e6 });
