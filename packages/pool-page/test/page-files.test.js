import { cp } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { runNode } from 'test-support/processes.js';

test('without chart.js, the page gets a script in its place, and still loads', async () => {
  const folder = await scratchFolder();
  for (const name of ['src', 'page', 'package.json'])
    await cp(new URL(`../${name}`, import.meta.url), path.join(folder, name), { recursive: true });
  const file = JSON.stringify(pathToFileURL(path.join(folder, 'src/page-files.js')));
  const script = `import(${file}).then(({ CHART_JS, PageFiles }) => {
    const res = { setHeader() {}, writeHead: () => res, end: (text) => (0, eval)(String(text)) };
    const isSent = new PageFiles().find('/page/chart.js')({ headers: {} }, res);
    const said = [];
    const chart = new Chart({ getContext: () => ({ fillText: (text) => said.push(text) }) }, {});
    Chart.defaults.color = 'red';
    chart.data.datasets[7].data = [];
    chart.update('none');
    chart.destroy();
    process.stdout.write(JSON.stringify({ CHART_JS, isSent, said }));
  });`;
  const { stdout, stderr } = await runNode(['-e', script], { cwd: folder });
  expect({ stderr, ...JSON.parse(stdout) }).toEqual({
    stderr: '',
    CHART_JS: '',
    isSent: true,
    said: ['No charts: chart.js is not installed beside mongodb-pool-page'],
  });
});
