import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { findPublished, PUBLISHED } from './handles-published.js';

/** @import { DocumentRows } from '../../report/result-types.js' */

const LOCK =
  'requests of one handle waited for a lock that it takes for prepared statements ([golang/go issue ' +
  '9484](https://github.com/golang/go/issues/9484)); Node.js runs the app on one core, without such a lock';
const NO_COUNTERPART = `shown without a figure of ours: ${LOCK}`;

/** @param {string} handle */
function describeRates(handle) {
  const rates = PUBLISHED.connections.map(
    (count) => `${formatNumber(findPublished(handle, count)?.ratePerSec ?? 0)} at c${count}`,
  );
  return `${rates.join(', ')} requests per second`;
}

/** @type {DocumentRows} */
export const handlesDocument = {
  setup: [
    {
      says: 'two c3.8xlarge servers in one placement group, 10 Gbit network, Amazon Linux',
      here: 'app, MongoDB and load on this machine',
      why: 'the lab has one machine, so compare ratios',
      covered: 'partly',
    },
    {
      says: 'MySQL, tuned to do little but answer',
      here: 'MongoDB, found by `_id`',
      why: 'the lab is about MongoDB pools; the query is equally small',
    },
    {
      says: '`wrk -c128 -t8` and `-c256` request `/db` for 10 s',
      here: '`--preset published`: autocannon, 128 and 256 connections, 10 s after a warm-up',
      why: 'wrk is not a Node.js package; both are closed loops',
    },
    {
      says: 'each command twice; the better result counts',
      here: '`--repeat 2`: the median counts, and the report has every repeat',
      why: 'the better of two favours noise',
    },
    {
      says: 'a Go program whose `/db` looks up one row',
      here: 'an Express app whose `/db` looks up one document',
    },
  ],
  figures: [
    { says: `default, one handle: ${describeRates('one')}`, here: 'the rows `one`' },
    {
      says: `multi db, several handles: ${describeRates('several')}`,
      here: 'the rows `several`, and the finding "several clients / one client"',
      why: LOCK,
    },
    {
      says: `sprintf, without prepared statements: ${describeRates('sprintf')}`,
      here: 'the rows `sprintf`, published only',
      why: NO_COUNTERPART,
      covered: 'partly',
    },
    {
      says: `database/sql patched: ${describeRates('patched')}`,
      here: 'the rows `patched`, published only',
      why: NO_COUNTERPART,
      covered: 'partly',
    },
    {
      says: "wrk's latency of each run: average, standard deviation, maximum",
      here: 'the columns `latency` and `published latency`, with p50 and p99 besides',
    },
    {
      says: 'requests and bytes in 10 s, and the share within one standard deviation',
      here: 'requests in the column `answered`',
      why: 'bytes are those of one fixed document; percentiles say more than that share',
      covered: 'partly',
    },
  ],
  behaviour: [
    {
      says: 'the patch: a separate lock for what depends on a statement, and closed connections removed less often',
      here: 'the finding about several clients names the lock',
      why: 'Node.js has no lock to split',
    },
    {
      says: 'a CPU profile of the patched driver: system calls first, then the scheduler',
      here: 'no profile; the rows `bare` and `gathered` show what the framework and the queries cost',
      why: 'it is a profile of another program; to find where the time goes, the lab leaves parts out',
      covered: 'partly',
    },
  ],
  conclusions: [
    {
      says: 'at c128 several handles answer 2.3 times as many requests as one, at c256 fewer',
      here: 'about as many at both; lesson 10',
      why: LOCK,
    },
  ],
};
