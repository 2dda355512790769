import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { expectRefused } from '../support/run-cli.js';

const folder = await scratchFolder();

const MIXED = 'loadtests/mixed.yaml';
const SERVICES = ['--service', '/slow=5000', '--service', '/fast=2'];

describe('predict: bad input is one clear message', () => {
  /** @param {string} name @param {string} text */
  async function write(name, text) {
    await writeFile(path.join(folder, name), text);
    return path.join(folder, name);
  }
  const phases = 'config:\n  phases: [{ duration: 1, arrivalCount: 1 }]\n';

  /** @type {[string, () => Promise<string[]>, RegExp][]} */
  const cases = [
    ['no such file', async () => ['nowhere.yaml', ...SERVICES], /^nowhere\.yaml can't be read/],
    ['bad YAML', async () => [await write('bad.yaml', 'config: [\n'), ...SERVICES], /bad\.yaml, line \d, column \d/],
    [
      'an unsupported step',
      async () => [await write('odd.yaml', `${phases}scenarios:\n  - flow:\n      - dance: 3\n`), ...SERVICES],
      /line 5: the step "dance" is not supported: allowed are get, /,
    ],
    ['pool size 0', async () => [MIXED, '--pool-sizes', '0', ...SERVICES], /0 means "no limit" to the driver/],
    ['no service times', async () => [MIXED], /^There is no service time for \/slow, \/fast: give --service \/slow=MS/],
    ['an invalid service time', async () => [MIXED, '--service', '/slow=fast'], /"\/slow=fast" is not a service time/],
    [
      'a number of queries that is none',
      async () => [MIXED, ...SERVICES, '--queries', '/fast=few'],
      /^"\/fast=few" is not a number of queries: write ROUTE=N/,
    ],
    [
      'a service time too many',
      async () => [MIXED, ...SERVICES, '--service', '/fats=2'],
      /--service \/fats: .*only \/slow, \/fast/,
    ],
    [
      'an unknown environment',
      async () => [MIXED, '--environment', 'moon', ...SERVICES],
      /no environment "moon": it has smoke/,
    ],
    [
      'a file that is not a result',
      async () => [MIXED, '--from', 'package.json'],
      /^package\.json is not a result of pool-lab run/,
    ],
    [
      'an app that is not there',
      async () => [MIXED, '--app', 'http://127.0.0.1:1'],
      /^--app http:\/\/127\.0\.0\.1:1 does not answer GET \/pool \(/,
    ],
    [
      'an unknown driver',
      async () => [MIXED, '--driver', '4', ...SERVICES],
      /--driver <version>.*Allowed choices are 7, 3/,
    ],
    [
      'queries and a trace',
      async () => ['--trace', 'examples/ordinary-minute.jsonl', '--queries', '/fast=2'],
      /--queries, --from and --app need a scenario/,
    ],
    [
      'an old driver and a trace',
      async () => ['--trace', 'examples/ordinary-minute.jsonl', '--driver', '3'],
      /^--driver 3 needs a scenario: a trace has the timing of the driver that recorded it/,
    ],
    [
      'a number of runs without an exact band',
      async () => [MIXED, '--seeds', '20', ...SERVICES],
      /^seeds 20: so many runs have no exact 90 % band\. Use 19, 39, 59, 79, 99 or another multiple of 20, minus 1$/m,
    ],
    ['no first seed', async () => [MIXED, '--first-seed', '0', ...SERVICES], /--first-seed.*whole number from 1/],
    ['a check without a trace', async () => [MIXED, '--check', 'other.jsonl', ...SERVICES], /^--check needs --trace/],
    [
      'a check that does not say its size',
      async () => [
        '--trace',
        'examples/ordinary-minute.jsonl',
        '--check',
        await write(
          'sizeless.jsonl',
          '{"trace":"mongodb-pool-lab","version":2}\n{"checkOutStartedMs":0,"waitMs":0,"useMs":1}\n',
        ),
        '--pool-sizes',
        '8',
        '--seeds',
        '19',
      ],
      /^--check .*sizeless\.jsonl: it has to say its maxPoolSize/,
    ],
    [
      'work without cores',
      async () => [MIXED, '--service', '/slow=work:5000', '--service', '/fast=2'],
      /^A --service with work needs --server-cores N/,
    ],
    [
      'cores without work',
      async () => [MIXED, ...SERVICES, '--server-cores', '2'],
      /^--server-cores 2 needs a --service with work, such as/,
    ],
    [
      'no cores',
      async () => [MIXED, ...SERVICES, '--server-cores', '0'],
      /--server-cores.*It must be a number above 0, up to 10000, such as 2 or 1\.8; or none/,
    ],
    ['no seeds', async () => [MIXED, '--seeds', '0', ...SERVICES], /--seeds.*whole number from 1/],
  ];

  test.each(cases)('%s', async (_, argsOf, message) => {
    await expectRefused(['predict', ...(await argsOf())], message);
  });
});
