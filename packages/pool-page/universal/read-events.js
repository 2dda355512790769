/**
 * Reads server-sent events as createStreams writes them. EventSource can't send a token.
 * @param {ReadableStream<Uint8Array>} body of a response
 * @returns {AsyncGenerator<{ name: string, data: any }>}
 */
export async function* readEvents(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const events = (rest + decoder.decode(chunk.value, { stream: true })).split('\n\n');
    rest = String(events.pop());
    for (const event of events) {
      const [, name, data] = event.match(/^event: (.+)\ndata: (.+)$/) ?? [];
      if (data) yield { name, data: JSON.parse(data) };
    }
  }
}
