import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { createTestLog, serveApp } from '../support/serve-app.js';

const TOKEN = 'a-token-of-our-own_1';

/**
 * @param {Record<string, string>} settings
 */
async function serve(settings) {
  const { log, lines } = createTestLog('trace');
  const url = (await serveApp(settings, log)).replace('0.0.0.0', '127.0.0.1');
  return { url, readLog: () => lines.join('') };
}

/**
 * @param {string} url
 * @param {string} [authorization]
 */
async function order(url, authorization) {
  const response = await fetch(`${url}/control/slow-ms`, {
    method: 'POST',
    body: '{"slowMs":100}',
    headers: {
      'Content-Type': 'application/json',
      Origin: url,
      ...(authorization && { Authorization: authorization }),
    },
  });
  return response.status;
}

/**
 * The same from a browser that knows the app by another name. fetch does not allow that header.
 * @param {string} url
 * @param {string} name
 * @param {string} [token]
 * @returns {Promise<number | undefined>}
 */
function orderUnder(url, name, token) {
  const host = `${name}:${new URL(url).port}`;
  return new Promise((resolve, reject) => {
    request(`${url}/control/slow-ms`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Host: host,
        Origin: `http://${host}`,
        ...(token && { Authorization: `Bearer ${token}` }),
      },
    })
      .on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on('error', reject)
      .end('{"slowMs":100}');
  });
}

describe('CONTROLS=on', () => {
  test('on loopback refuses a foreign name that points here', async () => {
    const { url } = await serve({ CONTROLS: 'on' });
    expect(await orderUnder(url, 'rebound.example')).toBe(403);
    expect(await orderUnder(url, 'localhost')).toBe(200);
  });

  test('elsewhere accepts any host name, with the token', async () => {
    const { url } = await serve({ HOST: '0.0.0.0', CONTROLS: 'on', CONTROLS_TOKEN: TOKEN });
    expect(await orderUnder(url, 'lab.example')).toBe(401);
    expect(await orderUnder(url, 'lab.example', TOKEN)).toBe(200);
  });
});

describe('CONTROLS_TOKEN', () => {
  test('is required for every control, on loopback too, and never logged', async () => {
    const { url, readLog } = await serve({ CONTROLS_TOKEN: TOKEN });
    expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({ controls: true, needsToken: true });
    const wrong = [
      undefined,
      TOKEN,
      `Basic ${TOKEN}`,
      'Bearer',
      'Bearer x',
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
    ];
    for (const authorization of wrong) expect(await order(url, authorization)).toBe(401);
    expect(await order(url, `Bearer ${TOKEN}`)).toBe(200);
    expect(readLog()).toContain('listening on');
    expect(readLog()).not.toContain(TOKEN);
  });

  test('does not admit another site', async () => {
    const { url } = await serve({ CONTROLS_TOKEN: TOKEN });
    const { status } = await fetch(`${url}/control/slow-ms`, {
      method: 'POST',
      body: '{"slowMs":100}',
      headers: {
        'Content-Type': 'application/json',
        Origin: 'https://elsewhere.example',
        Authorization: `Bearer ${TOKEN}`,
      },
    });
    expect(status).toBe(403);
  });
});

describe('an app that others can reach', () => {
  test('disables its controls', async () => {
    const { url, readLog } = await serve({ HOST: '0.0.0.0' });
    expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({ controls: false, needsToken: false });
    expect(await order(url, `Bearer ${TOKEN}`)).toBe(403);
    expect(readLog()).not.toContain('token');
  });

  test('with CONTROLS=on creates a token at each start, and logs a link with it', async () => {
    const tokens = await Promise.all(
      [1, 2].map(async () => {
        const { url, readLog } = await serve({ HOST: '0.0.0.0', CONTROLS: 'on' });
        const [, token] = readLog().match(/http:\/\/0\.0\.0\.0:\d+\/#token=([\w-]{32})"/) ?? [];
        expect(await order(url)).toBe(401);
        expect(await order(url, `Bearer ${token}`)).toBe(200);
        return token;
      }),
    );
    expect(tokens[0]).not.toBe(tokens[1]);
  });

  test('uses CONTROLS_TOKEN instead, and does not log it', async () => {
    const { url, readLog } = await serve({ HOST: '0.0.0.0', CONTROLS: 'on', CONTROLS_TOKEN: TOKEN });
    expect(await order(url)).toBe(401);
    expect(await order(url, `Bearer ${TOKEN}`)).toBe(200);
    expect(readLog()).not.toContain('token');
  });
});
