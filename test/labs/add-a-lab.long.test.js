import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { runNode } from '../support/run-node.js';
import { scratchFolder } from '../support/scratch-folder.js';

test("CONTRIBUTING's lab is one folder and one line", async () => {
  const folder = await scratchFolder();
  await Promise.all(['src', 'package.json', 'loadtests'].map((name) => cp(name, path.join(folder, name), { recursive: true })));
  await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'), 'junction');

  const [lab, view] = [...(await readFile('CONTRIBUTING.md', 'utf8')).matchAll(/^```js\n(.+?)^```/gms)].map(([, code]) => code);
  await mkdir(path.join(folder, 'src/labs/pings'));
  await writeFile(path.join(folder, 'src/labs/pings/pings-lab.js'), lab);
  await writeFile(path.join(folder, 'src/labs/pings/pings-view.js'), view);
  const index = path.join(folder, 'src/labs/index.js');
  const text = await readFile(index, 'utf8');
  await writeFile(index, `import { pings } from './pings/pings-lab.js';\n${text.replace(/(labs = \{.*?),? \}/, '$1, pings }')}`);

  const cli = path.join(folder, 'src/cli.js');
  expect((await runNode([cli, 'list'])).stdout).toMatch(/^pings: The empty query$/m);
  expect((await runNode([cli, 'run', 'pings', '--help'])).stdout).toMatch(/--workers <list>/);
  const out = path.join(folder, 'out');
  const { code, stdout, stderr } = await runNode([cli, 'run', 'pings', '--repeat', '2', '--json', '--out', out],
    { env: { MONGO_URL: String(process.env.TEST_MONGO_URL) } });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/workers +p50 ms/) });
  expect(JSON.parse(stdout).variants).toMatchObject([
    { measured: { count: 2000 }, repeats: [{}, {}] }, { settings: { workers: 10 } },
  ]);
  expect(await readFile(path.join(out, 'pings.html'), 'utf8')).toContain('The empty query');
});
