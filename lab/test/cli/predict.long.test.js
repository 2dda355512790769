import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { traceText } from 'test-support/trace-text.js';
import { expectRefused } from '../support/run-cli.js';

const folder = await scratchFolder();

/** @param {string} name @param {string} text */
async function write(name, text) {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

const phases = 'config:\n  phases: [{ duration: 1, arrivalCount: 1 }]\n';
const bad = await write('bad.yaml', 'config: [\n');
const odd = await write('odd.yaml', `${phases}scenarios:\n  - flow:\n      - dance: 3\n`);
const sizeless = await write('sizeless.jsonl', traceText({ checkouts: [{ atMs: 0, useMs: 1 }] }));

const MIXED = 'loadtests/mixed.yaml';
const SERVICES = '--service /slow=5000 --service /fast=2';
const TRACE = '--trace examples/ordinary-minute.jsonl';

test.each([
  [`nowhere.yaml ${SERVICES}`, /^nowhere\.yaml can't be read/],
  [`${bad} ${SERVICES}`, /bad\.yaml, line \d, column \d/],
  [`${odd} ${SERVICES}`, /line 5: the step "dance" is not supported: allowed are get, /],
  [`${MIXED} --pool-sizes 0 ${SERVICES}`, /0 means "no limit" to the driver/],
  [MIXED, /^There is no service time for \/slow, \/fast: give --service \/slow=MS/],
  [`${MIXED} --service /slow=fast`, /"\/slow=fast" is not a service time/],
  [`${MIXED} ${SERVICES} --queries /fast=few`, /^"\/fast=few" is not a number of queries: write ROUTE=N/],
  [`${MIXED} ${SERVICES} --service /fats=2`, /--service \/fats: .*only \/slow, \/fast/],
  [`${MIXED} --environment moon ${SERVICES}`, /no environment "moon": it has smoke/],
  [`${MIXED} --from package.json`, /^package\.json is not a result of pool-lab run/],
  [`${MIXED} --app http://127.0.0.1:1`, /^--app http:\/\/127\.0\.0\.1:1 does not answer GET \/pool \(/],
  [`${MIXED} --driver 4 ${SERVICES}`, /--driver <version>.*Allowed choices are 7, 3/],
  [`${TRACE} --queries /fast=2`, /^--queries needs a scenario/],
  [`${TRACE} --driver 3`, /^--driver 3 needs a scenario: a trace has the timing of the driver that recorded it/],
  [`${TRACE} --workers 9999`, /--workers.*whole number from 1 to 1024/],
  [`${TRACE} --callers few`, /--callers.*whole number from 0\./],
  [`${MIXED} --callers 2 ${SERVICES}`, /^--callers needs --trace: it is about what was recorded/],
  [
    `${MIXED} --seeds 20 ${SERVICES}`,
    /^seeds 20: so many runs have no exact 90 % band\. Use 19, 39, 59, 79, 99 or another multiple of 20, minus 1$/m,
  ],
  [`${MIXED} --first-seed 0 ${SERVICES}`, /--first-seed.*whole number from 1/],
  [`${MIXED} --check other.jsonl ${SERVICES}`, /^--check needs --trace/],
  [`${TRACE} --check ${sizeless}`, /^--check .*sizeless\.jsonl: it has to say its maxPoolSize/],
  [`${MIXED} --service /slow=work:5000 --service /fast=2`, /^A --service with work needs --server-cores N/],
  [`${MIXED} ${SERVICES} --server-cores 2`, /^--server-cores 2 needs a --service with work, such as/],
  [
    `${MIXED} ${SERVICES} --server-cores 0`,
    /--server-cores.*It must be a number above 0, up to 10000, such as 2 or 1\.8; or none/,
  ],
  [`${MIXED} --seeds 0 ${SERVICES}`, /--seeds.*whole number from 1/],
])('predict %s is one clear message', async (args, message) => {
  await expectRefused(['predict', ...args.split(' ')], message);
});
