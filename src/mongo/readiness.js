/**
 * Follow whether queries could be served now. The answer comes from the driver's monitoring connections, which
 * are not part of the pool: asking never waits behind a query.
 *
 * @param {import('mongodb').MongoClient} client not connected yet
 * @returns {() => boolean} whether a server that takes writes is known
 */
export function watchReadiness(client) {
  let ready = false;
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    ready = [...newDescription.servers.values()].some((server) => server.isWritable);
  });
  return () => ready;
}
