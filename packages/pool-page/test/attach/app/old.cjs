// @ts-nocheck The types of this driver are not here.
// An app with a driver that is too old to be watched.
const { MongoClient } = require('mongodb3');

(async () => {
  const client = await MongoClient.connect(process.env.MONGO_URL, { useUnifiedTopology: true });
  const { n } = await client.db('attach').collection('orders').findOne({});
  process.stdout.write(`order ${n}\n`);
  await client.close();
})();
