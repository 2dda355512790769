// A shop. It may have POOL_SIZE connections. Change what you like, and save it: the app is started again.
import { MongoClient } from 'mongodb';

const { MONGO_URL, POOL_SIZE, STOCK_URL } = process.env;
const client = new MongoClient(MONGO_URL, { maxPoolSize: Number(POOL_SIZE) });
const orders = client.db('shop').collection('orders');
const products = client.db('shop').collection('products');
await orders.createIndex({ customer: 1 });

// How many products have changed since the start.
let changes = 0;
products.watch().on('change', () => (changes += 1));

export const routes = {
  // The ten products of an order.
  '/order': async ({ id }) => {
    const order = await orders.findOne({ _id: Number(id) });
    return products.find({ _id: { $in: order.products } }).toArray();
  },
  // The orders of a customer.
  '/customer': ({ id }) => {
    return orders.find({ customer: Number(id) }).toArray();
  },
  // Ten products, and how many of each there are, which another service knows.
  '/offers': async ({ id }) => {
    const cursor = products.find({ _id: { $gte: Number(id) } }, { sort: { _id: 1 }, limit: 10 });
    const offers = await cursor.toArray();
    const counts = await askStock(offers.map(({ _id }) => _id));
    return offers.map((offer, index) => ({ ...offer, count: counts[index] }));
  },
  '/changes': () => changes,
};

async function askStock(ids) {
  const response = await fetch(`${STOCK_URL}?products=${ids}`);
  return response.json();
}
