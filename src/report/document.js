import { createHash } from 'node:crypto';
import { html, trust } from './markup.js';

/** @import { Html } from './markup.js' */

/**
 * An HTML file that needs no network and allows none.
 * @param {object} parts
 * @param {string} parts.title
 * @param {string} parts.style
 * @param {string[]} [parts.policy] what else it may do
 * @param {string} [parts.kind] class of its body
 * @param {Html} parts.body
 * @returns {string}
 */
export function renderDocument({ title, style, policy = [], kind, body }) {
  const directives = [
    'default-src \'none\'', ...policy, `style-src ${hashSource(style)}`, 'img-src data:', 'base-uri \'none\'', 'form-action \'none\'',
  ];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${directives.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · MongoDB Pool Lab</title>
<link rel="icon" href="data:,">
<style>${trust(style)}</style>
</head>
<body${kind && html` class="${kind}"`}>
${body}
</body>
</html>
`.toString();
}

/** What a Content-Security-Policy calls this style or script. @param {string} text */
export function hashSource(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
