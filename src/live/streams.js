/** A reader this far behind, in bytes, is dropped: it can connect again, and what it missed is out of date. */
const MAX_UNREAD_BYTES = 1 << 20;

/** How long a reader may take to read what is left when its stream ends, in ms. */
const FAREWELL_MS = 500;

/** How soon a browser connects again after a stream has ended, in ms. */
const RETRY_MS = 1000;

/**
 * Server-sent events to any number of readers. Each event is written to all of them as one and the same string, and
 * nothing is kept for a reader that does not keep up.
 *
 * @param {(send: (event: string, data: unknown) => void) => void} greet called for each new reader, to send it alone
 *   what it has to know first
 */
export function createStreams(greet) {
  /** @type {Set<import('node:http').ServerResponse>} */
  const readers = new Set();
  let isClosed = false;

  return {
    get count() {
      return readers.size;
    },
    /**
     * @param {import('express').Request} req
     * @param {import('express').Response} res
     */
    open(req, res) {
      if (isClosed) {
        res.status(503).end();
        return;
      }
      res.writeHead(200, {
        'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no',
      });
      // Who asks for the head alone would wait for its end.
      if (req.method === 'HEAD') {
        res.end();
        return;
      }
      res.write(`retry: ${RETRY_MS}\n\n`);
      greet((event, data) => res.write(format(event, data)));
      readers.add(res);
      res.once('close', () => readers.delete(res));
    },
    /**
     * @param {string} event
     * @param {unknown} data
     */
    send(event, data) {
      if (readers.size === 0) return;
      const text = format(event, data);
      for (const reader of readers) {
        if (reader.writableLength > MAX_UNREAD_BYTES) reader.destroy();
        else reader.write(text);
      }
    },
    /** End all streams and take no more. */
    close() {
      isClosed = true;
      for (const reader of readers) {
        reader.end();
        // One that does not read would keep its connection for ever.
        const timer = setTimeout(() => reader.destroy(), FAREWELL_MS);
        reader.once('close', () => clearTimeout(timer));
      }
      readers.clear();
    },
  };
}

/**
 * @param {string} event
 * @param {unknown} data
 */
function format(event, data) {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
