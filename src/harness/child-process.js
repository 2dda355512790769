/** Longer than the app's shutdown deadline. */
const END_TIMEOUT_MS = 35_000;

/**
 * Collects the last 4 kB of a stream.
 * @param {import('node:stream').Readable | null} stream
 * @returns {() => string} reads them
 */
export function collectText(stream) {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk) => {
    text = (text + chunk).slice(-4096);
  });
  return () => text.trim();
}

/**
 * Asks a child to end by closing its channel, which works on every platform. Kills it if it does not end.
 * @param {import('node:child_process').ChildProcess} child
 * @param {Promise<unknown>} ended
 */
export async function endProcess(child, ended) {
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
