/** Longest wait for a child to end by itself, in ms; above the app's own shutdown deadline. */
const END_TIMEOUT_MS = 35_000;

/**
 * Collect what a stream says, its last 4 kB.
 * @param {import('node:stream').Readable | null} stream
 * @returns {() => string} what came so far
 */
export function collectText(stream) {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk) => {
    text = (text + chunk).slice(-4096);
  });
  return () => text.trim();
}

/**
 * Ask a child to end by closing the channel to it, which works alike on every platform, and kill it if it does not.
 * @param {import('node:child_process').ChildProcess} child
 * @param {Promise<unknown>} ended
 */
export async function endProcess(child, ended) {
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
