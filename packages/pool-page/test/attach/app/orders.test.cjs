// @ts-nocheck The library is not a dependency of the project.
// A test of an app. Jest has a module system of its own, in which driver 7.9 does not run without a flag.
/* global expect, test, afterAll */
const { MongoClient } = require('mongodb6');

const client = new MongoClient(process.env.MONGO_URL);
afterAll(() => client.close());

test('finds an order', async () => {
  const orders = client.db('attach').collection('orders');
  expect(await orders.findOne({ n: 1 })).toMatchObject({ n: 1 });
});
