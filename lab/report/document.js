import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { html, trust } from './markup.js';

/** @import { Html } from './markup.js' */

/** Chart.js as one script for browsers, which sets the global `Chart`. It is not among the package's exports. */
export const CHART_JS = new URL('chart.umd.min.js', import.meta.resolve('chart.js'));

/**
 * Renders an HTML file that needs no network and allows none.
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
    "default-src 'none'",
    ...policy,
    `style-src ${hashSource(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
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

/** The style of a document: the look of all pages, and its own. @param {URL} file */
export function readStyle(file) {
  return read(fileURLToPath(import.meta.resolve('mongodb-pool-page/universal/look.css'))) + read(fileURLToPath(file));
}

/** What all scripts that draw charts import. */
export const CHART_TOOLS = new URL('browser/chart-tools.js', import.meta.url);

/**
 * Chart.js and the script that draws with it, as elements, and what the document's policy says about them.
 * @param {URL} file
 * @returns {{ scripts: Html, policy: string[] }}
 */
export function readChartScripts(file) {
  const [library, tools, drawing] = [CHART_JS, CHART_TOOLS, file].map((each) => read(fileURLToPath(each)));
  // One script: a document has no files to import from.
  const script = (tools + drawing).replaceAll(/^import .+ from '.+';$/gm, '').replaceAll(/^export /gm, '');
  return {
    // Not with html``: a formatter may move its text, and then the hashes differ.
    scripts: trust(`<script>${library}</script>\n<script type="module">${script}</script>`),
    policy: [`script-src ${hashSource(library)} ${hashSource(script)}`],
  };
}

/** Leaves out the address of the source map, which developer tools would look for. @param {string} path */
function read(path) {
  return readFileSync(path, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
}

/** What a Content-Security-Policy calls this style or script. @param {string} text */
export function hashSource(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
