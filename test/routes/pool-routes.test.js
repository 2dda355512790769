import { beforeAll, expect, test } from '@jest/globals';
import { serveApp } from '../support/serve-app.js';

/** @type {string} */
let url;
beforeAll(async () => {
  url = await serveApp({});
});

test('/pool has the limits, with how many connections the driver opens at once, and says what is installed', async () => {
  expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({
    max: 100, min: 0, maxConnecting: 2, features: { loadTests: true, predictions: true },
  });
});

/** @param {string} query */
const ask = (query) => fetch(`${url}/pool/checkouts${query}`);

test('/pool/checkouts lists the checkouts after an id, and the last id', async () => {
  await fetch(`${url}/fast`);
  const { checkouts, lastId } = await (await ask('')).json();
  expect(checkouts.at(-1)).toMatchObject({ id: lastId, route: '/fast', outcome: 'checkedIn', reason: null });
  await fetch(`${url}/fast`);
  const later = await (await ask(`?after=${lastId}`)).json();
  expect(later).toMatchObject({ checkouts: [{ id: lastId + 1 }], lastId: lastId + 1, forgotten: 0 });
  expect(await (await ask(`?after=${lastId + 1}`)).json()).toEqual({ checkouts: [], lastId: lastId + 1, forgotten: 0 });
});

const NO_IDS = ['', '-1', '1.5', '1e3', '0x10', ' 5', '5x', '9'.repeat(16), '1&after=2', '%00'];
test.each(NO_IDS)('after=%s is refused', async (after) => {
  const response = await ask(`?after=${after}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ detail: 'after must be the id of a checkout, a whole number' });
});
