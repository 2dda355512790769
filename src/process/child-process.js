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
