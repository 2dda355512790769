// An app with something wrong: argv[2] says what.
import http from 'node:http';
import net from 'node:net';

const [, , fault] = process.argv;
if (fault === 'ends') {
  process.stderr.write('the configuration is missing\n');
  process.exit(3);
}
// As a driver does that the monitor does not know.
if (fault === 'unknown-driver') net.connect(Number(new URL(process.env.MONGODB_URI ?? '').port), '127.0.0.1');
const items = fault === 'unknown-driver' ? undefined : await openItems();
const server = http.createServer(async (req, res) => {
  const isKnown = req.url === '/items';
  if (isKnown && fault !== 'no-client') await items?.findOne({});
  res.writeHead(!isKnown ? 404 : fault === 'limited' ? 429 : 200).end();
});
if (fault === 'silent') setInterval(() => {}, 1000);
else server.listen(0, '127.0.0.1');

async function openItems() {
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(process.env.MONGODB_URI ?? '', { serverSelectionTimeoutMS: 60_000 });
  if (fault === 'elsewhere') client.connect().catch(() => {});
  return client.db('odd').collection('items');
}
