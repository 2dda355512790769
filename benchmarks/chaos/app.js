import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../src/settings.js';

const SERVER = fileURLToPath(new URL('../../src/server.js', import.meta.url));

/**
 * The app as a process that can be sent signals.
 * @param {Record<string, string>} settings
 */
export async function startApp(settings) {
  const child = fork(SERVER, [], {
    env: childEnvironment({ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'fatal', ...settings }),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => code);
  const [{ url }] = await once(child, 'message');
  const { pid } = child;
  return {
    url,
    ended,
    readPool: async () => (await fetch(`${url}/pool`)).json(),
    kill: (signal) => child.kill(signal),
    /** What the kernel says of the process, where there is /proc; else nothing. */
    async readProcess() {
      const [status, descriptors] = await Promise.all([
        readFile(`/proc/${pid}/status`, 'utf8'), readdir(`/proc/${pid}/fd`),
      ]).catch(() => []);
      if (!descriptors) return {};
      return { rssMB: Number(status.match(/VmRSS:\s+(\d+)/)[1]) / 1024, descriptors: descriptors.length };
    },
    async stop() {
      if (child.connected) child.disconnect();
      return ended;
    },
  };
}
