import { calibrateWork, createWorkQuery } from '../../mongo/work-query.js';

/**
 * The server's cores: each heavy query computes, so that more of them at once only take turns.
 * @type {import('./causes.js').Cause}
 */
export const processor = {
  label: 'processor',
  async prepare({ client, options: { heavyMs }, signal }) {
    const speed = await calibrateWork(client, { signal });
    /** @param {import('mongodb').MongoClient} own */
    const createHeavy = (own) => {
      const work = createWorkQuery(own, speed);
      return () => work(heavyMs);
    };
    return { createHeavy };
  },
};
