import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { runCli } from '../../support/run-cli.js';
import { scratchFolder } from '../../support/scratch-folder.js';

test('a run replicates what it wrote, compares it, and reports it', async () => {
  const out = await scratchFolder();
  const { code, stdout, stderr } = await runCli(
    ['run', 'replication', '--cases', '1,3,10..13', '--ops', '300', '--stats', '--json', '--out', out]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/ops\/s .*published/s) });
  expect(stderr).toMatch(/^case 3: \d+ ops\/s · CPU \d+ % · peak RSS \d+ MB · backlog 0, .* · lag \d+ ms$/m);
  const { variants } = JSON.parse(stdout);
  expect(variants.map((/** @type {any} */ { name, measured }) => [name, measured.ops])).toEqual([
    ['case 1', 300], ['case 3', 300], ['case 10', 300], ['case 11', 300], ['case 12, one hot document', 300],
    ['case 13, 20 ms away', 300]]);
  expect(await readFile(path.join(out, 'replication.html'), 'utf8')).toContain('Do more workers replicate more?');
});
