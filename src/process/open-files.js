import { open } from 'node:fs/promises';
import os from 'node:os';

const OUT_OF_FILES = ['EMFILE', 'ENFILE'];
/** Fewer are hardly meant for it: each file that is read and each connection takes one. */
const FEW = 256;
const PROBE_MS = 1000;
/** After this time without trouble, it is news again. */
const CALM_MS = 60_000;

/**
 * @param {unknown} error
 * @returns {string} what to do, if there were too few files; empty for other errors
 */
export function hintAtFileLimit(error) {
  const { code, message } = Object(error);
  const isOut = OUT_OF_FILES.some((each) => String(message).includes(each));
  // A package whose files Node could not open is one that it "cannot find".
  const isUnread = code === 'ERR_MODULE_NOT_FOUND' && readLimit() < FEW;
  return isOut || isUnread ? describeLimit() : '';
}

/**
 * Warns when no file can be opened any more. Node then closes new connections at once, and says nothing.
 * @param {import('pino').Logger} log
 * @param {{ probe?: () => Promise<unknown> }} [options] probe: opens a file
 * @returns {() => void} ends it
 */
export function watchOpenFiles(log, { probe = openAny } = {}) {
  let troubledAtMs = -Infinity;
  const timer = setInterval(async () => {
    const code = await probe().then(
      () => '',
      (error) => error.code,
    );
    if (!OUT_OF_FILES.includes(code)) return;
    const isNews = performance.now() - troubledAtMs > CALM_MS;
    troubledAtMs = performance.now();
    if (isNews) log.warn(`too many open files, so new connections are closed. ${describeLimit()}`);
  }, PROBE_MS);
  return () => clearInterval(timer);
}

async function openAny() {
  const file = await open(os.devNull);
  await file.close();
}

/** @returns {number} Infinity where there is none, as on Windows */
function readLimit() {
  const report = /** @type {any} */ (process.report);
  // It would look up the names of all peers.
  report.excludeNetwork = true;
  const limit = report.getReport().userLimits?.open_files?.soft;
  return typeof limit === 'number' ? limit : Infinity;
}

function describeLimit() {
  const limit = readLimit();
  if (limit === Infinity) return 'End other programs, or raise the limit of this machine';
  return `This process may have ${limit} open files: allow more, as with ulimit -n ${Math.max(4096, 4 * limit)}`;
}
