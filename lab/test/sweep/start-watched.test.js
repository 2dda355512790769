import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { startWatchedApp } from '../../sweep/start-watched.js';

test('an app that could not be used has ended when that is said', async () => {
  const folder = await scratchFolder();
  const [app, started] = [path.join(folder, 'app.mjs'), path.join(folder, 'started')];
  // It opens no port, and takes its time to end.
  await writeFile(
    app,
    `import { writeFileSync } from 'node:fs';
process.on('SIGTERM', () => setTimeout(process.exit, 300));
setInterval(() => {}, 1000);
writeFileSync(${JSON.stringify(started)}, String(process.pid));`,
  );
  const stop = new AbortController();
  const starting = startWatchedApp(
    { command: [process.execPath, app], target: undefined, startTimeout: 60 },
    { mongoUrl: 'mongodb://127.0.0.1:1/', signal: stop.signal },
  );
  const pid = Number(await until('the app runs', () => readFile(started, 'utf8').catch(() => '')));
  stop.abort(new Error('stopped'));
  await expect(starting).rejects.toThrow('stopped');
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
