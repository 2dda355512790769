// An app with two clients of one database. REPORTS_FIRST decides which one connects first. Its port is its first line.
import http from 'node:http';
import { MongoClient } from 'mongodb';

const url = Object.assign(new URL(String(process.env.MONGODB_URI)), { pathname: '/one_database' });
const [main, reports] = [50, 5].map((maxPoolSize) => new MongoClient(url.href, { maxPoolSize }));
for (const client of process.env.REPORTS_FIRST ? [reports, main] : [main, reports]) await client.connect();
const server = http
  .createServer(async (req, res) => {
    await (req.url === '/reports' ? reports : main).db().collection('items').findOne({});
    res.end();
  })
  .listen(0, '127.0.0.1', () => process.stdout.write(`${Object(server.address()).port}\n`));
