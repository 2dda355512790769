import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { cleanEnvironment } from '../../../test/support/start-app.js';

const LINKED = ['src', 'lab', 'lessons', 'loadtests', 'examples', 'node_modules'];

/** Commands, and the scripts behind them. npm and npx would add a second to each start. */
const STARTS = /** @type {[RegExp, string][]} */ ([
  [/^npx pool-lab\b/, 'lab/cli.js'],
  [/^npx artillery\b/, 'node_modules/artillery/bin/run'],
  [/\bnpm start$/, 'src/server.js'],
]);

/**
 * @typedef {object} Running
 * @property {Promise<{ code: number | null, said: string }>} ended
 * @property {(words: string) => Promise<void>} says resolves when it prints the words; rejects when it ends first
 * @property {() => void} interrupt like Ctrl-C
 */

/**
 * A folder where the project's commands work. Results and progress are written there.
 * @param {object} options
 * @param {Record<string, string>} [options.env] settings
 * @param {string[]} [options.prefix] put in front of each command
 */
export async function createWorkbench({ env = {}, prefix = [] }) {
  const cwd = await scratchFolder();
  // Windows allows everybody to create junctions. On other systems they are normal links.
  await Promise.all(LINKED.map((name) => symlink(path.resolve(name), path.join(cwd, name), 'junction')));
  await copyFile('package.json', path.join(cwd, 'package.json'));
  const environment = cleanEnvironment({
    POOL_LAB_DATA: path.join(cwd, 'data'),
    ARTILLERY_DISABLE_TELEMETRY: 'true',
    NO_COLOR: '1',
    ...env,
  });

  /** @param {string} command as in the documents @returns {Running} */
  function start(command) {
    const [, settings, rest] = /** @type {string[]} */ (/^((?:[A-Z_]+=\S+ )*)(.+)$/.exec(command));
    const [file, ...args] = [...prefix, process.execPath, ...splitCommand(rest)];
    const given = Object.fromEntries([...settings.matchAll(/(\S+?)=(\S+)/g)].map(([, name, value]) => [name, value]));
    const child = spawn(file, args, { cwd, env: { ...environment, ...given }, stdio: ['ignore', 'pipe', 'pipe'] });
    cleanUp(() => child.kill('SIGKILL'));
    let said = '';
    /** @type {() => void} */
    let onText = () => {};
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        said += chunk;
        onText();
      });
    }
    const ended = once(child, 'close').then(([code]) => ({ code, said }));
    return {
      ended,
      says: (words) =>
        new Promise((resolve, reject) => {
          onText = () => said.includes(words) && resolve();
          onText();
          ended.then(() => reject(new Error(`it never printed "${words}": ${said}`)));
        }),
      interrupt: () => child.kill('SIGINT'),
    };
  }

  return {
    cwd,
    start,
    /** @param {string} command */
    run: (command) => start(command).ended,
  };
}

/** @param {string} command @returns {string[]} the script that it runs, and its arguments */
function splitCommand(command) {
  const [start, script] = STARTS.find(([begin]) => begin.test(command)) ?? [];
  if (!start || !script) throw new Error(`no test knows how to run: ${command}`);
  const words = command.replace(start, '').match(/'[^']*'|\S+/g) ?? [];
  return [script, ...words.map((word) => word.replaceAll("'", ''))];
}
