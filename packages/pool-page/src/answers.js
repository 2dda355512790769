/** @import { ServerResponse } from 'node:http' */

/** The page loads from this app and sends to it only. No inline code runs, and no other site may frame the page. */
const PAGE_POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'connect', 'worker'].map((kind) => `${kind}-src 'self'`),
  ...['base-uri', 'form-action', 'frame-ancestors'].map((what) => `${what} 'none'`),
];

const SECURITY_HEADERS = Object.entries({
  'Content-Security-Policy': PAGE_POLICY.join(';'),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
});

const RETRY_AFTER_S = 1;

/** Sets those that the app has not set. @param {ServerResponse} res */
export function secure(res) {
  for (const [name, value] of SECURITY_HEADERS) if (!res.hasHeader(name)) res.setHeader(name, value);
}

/** @param {ServerResponse} res @param {string} text @param {string} type @param {number} [status] */
export function sendText(res, text, type, status = 200) {
  res.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  res.end(text);
}

/** @param {ServerResponse} res @param {unknown} body */
export function sendJson(res, body) {
  sendText(res, JSON.stringify(body), 'application/json; charset=utf-8');
}

/**
 * As in RFC 9457, https://www.rfc-editor.org/rfc/rfc9457
 * @param {ServerResponse} res
 * @param {number} status
 * @param {string} title
 * @param {string} [detail]
 */
export function sendProblem(res, status, title, detail) {
  if (status === 503) res.setHeader('Retry-After', String(RETRY_AFTER_S));
  const text = JSON.stringify({ type: 'about:blank', status, title, detail });
  sendText(res, text, 'application/problem+json; charset=utf-8', status);
}
