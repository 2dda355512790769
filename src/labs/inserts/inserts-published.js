import os from 'node:os';

/**
 * Documents per second by sessions/goroutines, from the article on 80,000 inserts per second (2016: Go 1.7 with mgo,
 * MongoDB 3.2, client and server on one AWS instance each). The view has its link. Where it is still online, the columns
 * of its table run together: instance, cores, then the four cases.
 */
const TABLE = [
  { instance: 't2.small', cores: 1, ratesPerSec: { '1/1': 2014, '1/100': 24547, '100/100': 9917, '100/10000': 10293 } },
  { instance: 't2.medium', cores: 2, ratesPerSec: { '1/1': 2716, '1/100': 23114, '100/100': 21986, '100/10000': 18665 } },
  { instance: 't2.xlarge', cores: 4, ratesPerSec: { '1/1': 3671, '1/100': 18623, '100/100': 59356, '100/10000': 33101 } },
  { instance: 't2.2xlarge', cores: 8, ratesPerSec: { '1/1': 3727, '1/100': 21828, '100/100': 84428, '100/10000': 58290 } },
  { instance: 'm4.4xlarge', cores: 16, ratesPerSec: { '1/1': 4629, '1/100': 19986, '100/100': 74102, '100/10000': 69072 } },
];

/**
 * Chooses the largest instance of the article that has no more cores than this machine.
 * @param {number} [cores]
 * @returns {{ instance: string, cores: number, ratesPerSec: Record<string, number> }}
 */
export function choosePublished(cores = os.availableParallelism()) {
  return TABLE.findLast((row) => row.cores <= cores) ?? TABLE[0];
}
