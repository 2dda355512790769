// An app with something wrong: argv[2] says what.
import http from 'node:http';
import { MongoClient } from 'mongodb';

const [, , fault] = process.argv;
if (fault === 'ends') {
  process.stderr.write('the configuration is missing\n');
  process.exit(3);
}
const client = new MongoClient(process.env.MONGODB_URI ?? '', { serverSelectionTimeoutMS: 60_000 });
if (fault === 'elsewhere') client.connect().catch(() => {});
const items = client.db('odd').collection('items');
const server = http.createServer(async (req, res) => {
  const isKnown = req.url === '/items';
  if (isKnown && fault !== 'no-client') await items.findOne({});
  res.writeHead(isKnown ? 200 : 404).end();
});
if (fault === 'silent') setInterval(() => {}, 1000);
else server.listen(0, '127.0.0.1');
