const RETRY_MS = 1000;

/** @param {string} id */
export const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * Leaves an unchanged text alone, so that a screen reader does not say it again.
 * @param {string} id
 * @param {string} text
 */
export function setText(id, text) {
  if (find(id).textContent !== text) find(id).textContent = text;
}

/**
 * Follows the events of a class, and reconnects after an interruption. EventSource can't send a token.
 * @param {string} url
 * @param {object} options
 * @param {string} [options.token]
 * @param {(data: any) => void} options.onData
 * @param {(status: number) => void} options.onTrouble status 0: no connection; any other: the class refuses
 * @returns {Promise<never>}
 */
export async function followClass(url, { token, onData, onTrouble }) {
  for (;;) {
    let status = 0;
    try {
      const response = await fetch(url, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
      if (response.ok && response.body) await readEvents(response.body, onData);
      else status = response.status;
    } catch {
      // The class can't be reached.
    }
    onTrouble(status);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** @param {ReadableStream<Uint8Array>} body @param {(data: any) => void} onData */
async function readEvents(body, onData) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = String(events.pop());
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      if (data) onData(JSON.parse(data.slice('data: '.length)));
    }
  }
}
