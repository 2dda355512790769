// @ts-nocheck The library is not a dependency of the project.
import Fastify from 'fastify';
import { MongoClient } from 'mongodb';
import { reportUsage } from './report-usage.mjs';

const client = await MongoClient.connect(process.env.MONGO_URL, { maxPoolSize: 10 });
const users = client.db('shop').collection('users');

const app = Fastify();
app.get('/users/:id', async ({ params }) => users.findOne({ _id: Number(params.id) }));
await app.listen({ port: 0, host: '127.0.0.1' });
reportUsage(app.server);
