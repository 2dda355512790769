import { html } from './markup.js';
import { loadAssets } from './assets.js';
import { renderLab } from './section.js';
import { drawTunnel } from './tunnel-picture.js';

/** @import { LabView, Result } from './result-types.js' */

/**
 * One HTML file that needs no network and allows none. Results of one lab share a section, which compares them.
 * @param {{ lab: LabView, result: Result }[]} entries at least one
 * @returns {string}
 */
export function renderHtml(entries) {
  const { style, library, script, policy } = loadAssets();
  const names = [...new Set(entries.map(({ lab }) => lab.name))];
  const sections = names.map((name, index) => {
    const ofLab = entries.filter(({ lab }) => lab.name === name);
    return { lab: ofLab[0].lab, results: ofLab.map(({ result }) => result), id: `lab-${index + 1}` };
  });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${sections.map(({ lab }) => lab.title).join(', ')} · MongoDB Pool Lab</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header>
<h1>MongoDB Pool Lab</h1>
<p>A pool of connections is a tunnel, each connection a lane. A slow query is a bus, a fast one a Ferrari.</p>
${drawTunnel()}
${sections.length > 1 && html`<nav aria-label="Experiments"><ul>${sections.map(({ lab, id }) => (
    html`<li><a href="#${id}">${lab.title}</a></li>`))}</ul></nav>`}
</header>
<main>
${sections.map(({ lab, results, id }) => renderLab(lab, results, id))}
</main>
<script>${library}</script>
<script type="module">${script}</script>
</body>
</html>
`.toString();
}
