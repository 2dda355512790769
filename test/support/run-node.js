import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Run a script in a new process.
 * @param {string[]} args script and arguments
 * @param {object} [options]
 * @param {string} [options.node] another Node.js
 * @param {Record<string, string>} [options.env] added to this environment
 * @param {(child: import('node:child_process').ChildProcess) => void} [options.onStart]
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export async function runNode(args, { node = process.execPath, env = {}, onStart } = {}) {
  const child = spawn(node, args, { env: { ...process.env, ...env } });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => { said.stdout += chunk; });
  child.stderr.setEncoding('utf8').on('data', (chunk) => { said.stderr += chunk; });
  onStart?.(child);
  const [code] = await once(child, 'close');
  return { code, ...said };
}
