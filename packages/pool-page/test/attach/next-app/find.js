// @ts-nocheck The libraries are not dependencies of the project.
import { MongoClient } from 'mongodb';

/** As in the other shapes: the second query waits for as long as the first one takes. */
export function find() {
  globalThis.users ??= new MongoClient(process.env.MONGO_URL, { maxPoolSize: 1, minPoolSize: 1, appName: 'shop' })
    .db('shapes')
    .collection('users');
  return Promise.all([globalThis.users.findOne({}), globalThis.users.findOne({})]);
}
