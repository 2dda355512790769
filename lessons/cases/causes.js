import { judgeShop } from '../../lab/workshop/cases/judge-shop.js';

/** @import { CaseCause } from '../../lab/workshop/lesson-types.js' */

/** Why the shop may be slow. @type {CaseCause[]} */
const CAUSES = [
  {
    name: 'client-per-request',
    about: 'a request creates a client of its own',
    route: '/customer',
    sign: 'each request had a pool of its own, and opened connections that nobody used again',
    change: [
      '    return orders.find({ customer: Number(id) }).toArray();\n',
      `    const own = new MongoClient(MONGO_URL, { maxPoolSize: Number(POOL_SIZE) });
    const found = own.db('shop').collection('orders').find({ customer: Number(id) }).toArray();
    return found.finally(() => own.close());
`,
    ],
  },
  {
    name: 'ten-queries',
    about: 'a request makes ten queries at the same time',
    route: '/order',
    sign: 'each request asked for ten connections at the same moment, so all others waited behind it',
    change: [
      'products.find({ _id: { $in: order.products } }).toArray();',
      'Promise.all(order.products.map((_id) => products.findOne({ _id })));',
    ],
  },
  {
    name: 'slow-service',
    about: 'a loop over a cursor waits for another service, once for each document',
    route: '/offers',
    sign: 'nobody waited for a connection, and no query was slow: the time went elsewhere',
    change: [
      `    const offers = await cursor.toArray();
    const counts = await askStock(offers.map(({ _id }) => _id));
    return offers.map((offer, index) => ({ ...offer, count: counts[index] }));
`,
      `    const offers = [];
    for await (const offer of cursor) {
      const [count] = await askStock([offer._id]);
      offers.push({ ...offer, count });
    }
    return offers;
`,
    ],
  },
  {
    name: 'change-streams',
    about: 'too many change streams',
    route: 'all',
    sign: 'connections were in use all the time, each for about a second, even without a request',
    change: [
      "products.watch().on('change', () => (changes += 1));\n",
      `for (const category of ['books', 'games', 'music', 'tools', 'toys']) {
  const ofCategory = [{ $match: { 'fullDocument.category': category } }];
  products.watch(ofCategory, { fullDocument: 'updateLookup' }).on('change', () => (changes += 1));
}
`,
    ],
  },
  {
    name: 'full-server',
    about: 'a query keeps the cores of the server busy',
    route: '/customer',
    sign: 'its queries held their connections for a long time, and the server had no core left',
    change: ['await orders.createIndex({ customer: 1 });\n', ''],
  },
  {
    name: 'idle-time',
    about: 'connections are closed as soon as they are idle, and new ones take a long time to open',
    route: 'all',
    sign: 'connections were opened and closed all the time, and requests waited for them to open',
    change: ['maxPoolSize: Number(POOL_SIZE) }', 'maxPoolSize: Number(POOL_SIZE), maxIdleTimeMS: 5 }'],
  },
  {
    name: 'lost-option',
    about: 'an option never arrives',
    route: 'all',
    sign: 'the pool did not have the size that the app was given',
    change: [
      'const { MONGO_URL, POOL_SIZE, STOCK_URL } = process.env;\n',
      'const { MONGO_URL, POOLSIZE: POOL_SIZE = 2, STOCK_URL } = process.env;\n',
    ],
  },
];

/** After lessons 5, 10 and 15. */
export const CASES = [
  ['client-per-request', 'ten-queries', 'lost-option'],
  ['change-streams', 'full-server', 'idle-time'],
  CAUSES.map(({ name }) => name),
].map((names, index) => {
  const causes = CAUSES.filter(({ name }) => names.includes(name));
  return { number: index + 1, causes, hints: listHints(causes), check: judgeShop };
});

/** @param {CaseCause[]} causes @returns {string[]} */
function listHints(causes) {
  return [
    'Does anybody wait for a connection? The page of `npx pool-lab attach` shows it. If nobody does, the pool is ' +
      'innocent.',
    'If requests wait: which queries hold the connections, for how long, and how many are there? Or are ' +
      'connections opened and closed all the time? Compare the size of the pool with that in the file, and then ' +
      'read the code of the slowest route.',
    `${causes.map(({ name, sign }) => `${name}: ${sign}`).join('. ')}.`,
  ];
}
