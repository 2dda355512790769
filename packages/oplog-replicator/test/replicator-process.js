import { readFileSync } from 'node:fs';
import { replicate } from '../src/replication/replicate.js';

/** Replicates with the options in its argument until SIGTERM. Then it reports the most memory that it used. */
const { done, stop } = await replicate(JSON.parse(process.argv[2]));
process.once('SIGTERM', stop);
process.send?.('begun');
await done;
process.send?.({ peakRssMB: (readPeakKiB() * 1024) / 1e6 });

/** Linux counts what the parent used when it forked into maxRSS. */
function readPeakKiB() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}
