import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Run a script in a new process.
 * @param {string[]} args script and arguments
 * @param {object} [options]
 * @param {string} [options.node] another Node.js
 * @param {Record<string, string>} [options.env] added to this environment
 * @param {string} [options.cwd]
 * @param {(child: import('node:child_process').ChildProcess) => void} [options.onStart]
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export async function runNode(args, { node = process.execPath, env = {}, cwd, onStart } = {}) {
  // Jest sets FORCE_COLOR where it has a terminal itself.
  const child = spawn(node, args, { cwd, env: { ...process.env, FORCE_COLOR: undefined, ...env } });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    said.stderr += chunk;
  });
  onStart?.(child);
  const [code] = await once(child, 'close');
  return { code, ...said };
}

/**
 * Run a script that prints one JSON value.
 * @param {string[]} args script and arguments
 * @returns {Promise<any>} that value
 * @throws {Error} with what it said, if it fails or complains
 */
export async function runForJson(args) {
  const { code, stdout, stderr } = await runNode(args);
  if (code !== 0 || stderr !== '') throw new Error(`${args[0]} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/**
 * Listens on the loopback interface.
 * @param {import('node:net').Server} server
 * @param {number} [port] 0: any free one
 * @returns {Promise<number>} its port
 */
export async function listen(server, port = 0) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

/** @returns {Promise<number>} a free port of the loopback interface */
export async function findFreePort() {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}
