/** An error with its causes can be long. */
const MAX_CHARACTERS = 16_384;

/**
 * Collects the last 16 kB of a stream.
 * @param {import('node:stream').Readable | null} stream
 * @returns {() => string} reads them
 */
export function collectText(stream) {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk) => {
    text = (text + chunk).slice(-MAX_CHARACTERS);
  });
  return () => text.trim();
}
