/**
 * Read the app's server-sent events.
 * @param {string} url of the app
 * @param {string} kind of event
 * @returns {AsyncGenerator<any, void>} the data of each
 */
export async function* readEvents(url, kind) {
  const { body } = await fetch(`${url}/pool/events`);
  let rest = '';
  for await (const text of /** @type {ReadableStream} */ (body).pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split('\n\n');
    rest = String(events.pop());
    for (const event of events) {
      const [, name, data] = event.match(/^event: (.+)\ndata: (.+)$/) ?? [];
      if (name === kind) yield JSON.parse(data);
    }
  }
}
