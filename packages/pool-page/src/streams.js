/** A reader this far behind is dropped. It can reconnect, and what it missed is out of date. */
const MAX_UNREAD_BYTES = 1 << 20;

/** How long a reader may take to read the rest when its stream ends. */
const FAREWELL_MS = 500;

/** How soon a browser reconnects. */
const RETRY_MS = 1000;

/**
 * Server-sent events. Each event is formatted once for all readers. Nothing is kept for a slow reader.
 *
 * @param {(send: (event: string, data: unknown) => void) => void} greet sends a new reader its first events
 */
export function createStreams(greet) {
  /** @type {Set<import('node:http').ServerResponse>} */
  const readers = new Set();
  let isClosed = false;

  return {
    get count() {
      return readers.size;
    },
    /** @param {import('node:http').IncomingMessage} req @param {import('node:http').ServerResponse} res */
    open(req, res) {
      if (isClosed) {
        res.writeHead(503).end();
        return;
      }
      res.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      });
      // A client that sends HEAD would otherwise wait for the end of the stream.
      if (req.method === 'HEAD') {
        res.end();
        return;
      }
      res.write(`retry: ${RETRY_MS}\n\n`);
      greet((event, data) => res.write(format(event, data)));
      readers.add(res);
      res.once('close', () => readers.delete(res));
    },
    /** @param {string} event @param {unknown} data */
    send(event, data) {
      if (readers.size === 0) return;
      const text = format(event, data);
      for (const reader of readers) {
        if (reader.writableLength > MAX_UNREAD_BYTES) reader.destroy();
        else reader.write(text);
      }
    },
    /** Ends all streams and refuses new ones. */
    close() {
      isClosed = true;
      for (const reader of readers) {
        reader.end();
        // A reader that does not read would keep its connection open.
        const timer = setTimeout(() => reader.destroy(), FAREWELL_MS);
        reader.once('close', () => clearTimeout(timer));
      }
      readers.clear();
    },
  };
}

/** @param {string} event @param {unknown} data */
function format(event, data) {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
