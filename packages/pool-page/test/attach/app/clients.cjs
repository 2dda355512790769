// @ts-nocheck Any library may be behind this.
// Two clients of each library. The app counts their events itself: the monitor must count the same.
/** How much a client waits depends on the size, which also tells the clients apart. */
let lastSize = 2;

/** Clients that exist before the monitor. */
const early = [];

/** @param {any} library */
exports.createEarly = (library) => {
  early.push(createLazy(library));
};

/** @param {any[]} libraries mongodb or mongoose */
exports.createClients = (libraries) => {
  return {
    /** They exist when the app starts, and connect when they are used. Mongoose has none. */
    lazy: [...early, ...libraries.filter(({ MongoClient }) => MongoClient).map(createLazy)],
    /** Those that an app creates later, and connects itself. */
    connectMore: async () => {
      const connected = [];
      for (const library of libraries) {
        if (library.MongoClient) connected.push(await connect(library));
        else connected.push(...(await connectMongoose(library.default ?? library)));
      }
      return connected;
    },
  };
};

/** @param {any} library */
function createLazy({ MongoClient }) {
  const options = { ...createOptions('lazy'), waitQueueTimeoutMS: 50 };
  return watch(new MongoClient(process.env.MONGO_URL, options), options);
}

/** @param {any} library */
async function connect({ MongoClient }) {
  const options = createOptions('connected');
  return watch(await MongoClient.connect(process.env.MONGO_URL, options), options);
}

/** Mongoose connects on its own. @param {any} mongoose */
async function connectMongoose(mongoose) {
  const unbidden = { autoIndex: false, autoCreate: false };
  const [first, second] = [createOptions('first'), createOptions('second')];
  await mongoose.connect(process.env.MONGO_URL, { ...first, ...unbidden });
  const connection = await mongoose.createConnection(process.env.MONGO_URL, { ...second, ...unbidden }).asPromise();
  const schema = new mongoose.Schema({ n: Number });
  return [
    [mongoose.connection, first],
    [connection, second],
  ].map(([each, options]) => ({
    ...watch(each.getClient(), options),
    Order: each.model('Order', schema, 'orders'),
  }));
}

/** @param {string} name */
function createOptions(name) {
  lastSize += 1;
  return {
    appName: `${process.env.APP}-${process.pid}-${name}-${lastSize}`,
    maxPoolSize: lastSize,
    // After an error, look at the server again at once.
    minHeartbeatFrequencyMS: 10,
    // After this time a second connection watches the server. The test counts on one.
    heartbeatFrequencyMS: 120_000,
    // The monitor waits twice as long for connections that the driver gave up without a word.
    connectTimeoutMS: 500,
    // Driver 6 keeps the process alive that long after an abort.
    serverSelectionTimeoutMS: 3000,
  };
}

/** @param {any} client @param {{ appName: string, maxPoolSize: number }} options */
function watch(client, { appName, maxPoolSize: max }) {
  // To connect, the driver may have used the first connection.
  const [server] = client.topology?.s.servers.values() ?? [];
  const counts = { checkedOut: (server?.pool ?? server?.s.pool)?.totalConnectionCount ?? 0 };
  client.on('connectionCheckedOut', () => {
    counts.checkedOut += 1;
  });
  return { appName, max, client, counts, holding: 0, orders: client.db('attach').collection('orders') };
}
