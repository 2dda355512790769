/** Everything that the lab writes is in this database. */
export const DATABASE = 'pool_lab';

const CUSTOMERS = 1000;
const DUPLICATE_KEY = 11000;

/** @typedef {{ email: string, name: string }} Customer */

/**
 * Customers, found by their indexed email address.
 * @param {import('mongodb').MongoClient} client
 * @returns {import('mongodb').Collection<Customer>}
 */
export function customersOf(client) {
  return client.db(DATABASE).collection('customers');
}

/**
 * Inserts the demo data if it is missing. Several apps may do this at once.
 * @param {import('mongodb').MongoClient} client
 */
export async function seedCustomers(client) {
  const customers = customersOf(client);
  await customers.createIndex({ email: 1 }, { unique: true });
  if ((await customers.estimatedDocumentCount()) >= CUSTOMERS) return;
  const documents = Array.from({ length: CUSTOMERS }, (_, n) => ({ email: emailOf(n), name: `Customer ${n}` }));
  await customers.insertMany(documents, { ordered: false }).catch((error) => {
    if (error.code !== DUPLICATE_KEY) throw error;
  });
}

/** @returns {string} the email address of a random customer */
export function pickEmail() {
  return emailOf(Math.floor(Math.random() * CUSTOMERS));
}

/** @param {number} n */
function emailOf(n) {
  return `customer-${n}@example.com`;
}
