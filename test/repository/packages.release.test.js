import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { realMongod } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';

/** @type {Map<string, { folder: string, needs: string[] }>} by name */
const packages = new Map();
for (const folder of await readdir('packages')) {
  const { name, ...manifest } = JSON.parse(await readFile(`packages/${folder}/package.json`, 'utf8'));
  const { dependencies, peerDependencies, devDependencies } = manifest;
  packages.set(name, { folder, needs: Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies }) });
}

const FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
/** Each package runs all its quick tests, which takes minutes. */
const runsAll = Boolean(process.env.TEST_ALL_ISOLATED);
const TIMEOUT_MS = runsAll ? 900_000 : 120_000;

/** @param {string} name @param {Set<string>} [found] @returns {Set<string>} it and the packages here that it needs */
function listNeeded(name, found = new Set()) {
  if (found.has(name) || !packages.has(name)) return found;
  found.add(name);
  for (const each of packages.get(name)?.needs ?? []) listNeeded(each, found);
  return found;
}

/**
 * Links every installed package into a folder, except this repository's own.
 * @param {string} from @param {string} to
 */
async function linkModules(from, to) {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name.startsWith('@')) await linkModules(path.join(from, entry.name), path.join(to, entry.name));
    else if (entry.isDirectory() && !entry.name.startsWith('.'))
      await symlink(path.resolve(from, entry.name), path.join(to, entry.name), 'junction');
  }
}

test.each([
  ['mongodb-gather', 'gather'],
  ['mongodb-pool-monitor', 'core/monitor'],
  ['mongodb-pool-page', 'live-view'],
  ['mongodb-pool-predictor', 'reading/read-trace'],
  ['oplog-replicator', 'target'],
])(
  'the tests of %s need nothing else of this repository',
  async (name, one) => {
    const root = await scratchFolder();
    const modules = path.join(root, 'node_modules');
    await linkModules('node_modules', modules);
    for (const each of listNeeded(name)) {
      const { folder } = /** @type {{ folder: string }} */ (packages.get(each));
      await cp(`packages/${folder}`, path.join(root, folder), { recursive: true });
      await symlink(path.join(root, folder), path.join(modules, each), 'junction');
    }
    const config = path.join(root, 'test-support/jest.config.js');
    const rootDir = path.join(root, /** @type {{ folder: string }} */ (packages.get(name)).folder);
    const { code, stderr } = await runNode(
      [
        ...FLAGS,
        path.join(modules, 'jest/bin/jest.js'),
        ...['--config', config, '--rootDir', rootDir, '--maxWorkers', '2'],
        ...(runsAll ? [] : ['--testPathPatterns', `/${one}\\.test\\.js$`]),
      ],
      { env: { MONGOD_PATH: realMongod(), TEST_MONGOD: '', TEST_MONGO_URL: '', TEST_CACHE: '' }, cwd: rootDir },
    );
    expect(code === 0 ? '' : stderr).toBe('');
    expect(stderr).toMatch(/^Tests: +[1-9]\d* passed/m);
  },
  TIMEOUT_MS,
);
