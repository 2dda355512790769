import { loadAssets } from './assets.js';
import { renderDocument } from './document.js';
import { html } from './markup.js';
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
  return renderDocument({
    title: sections.map(({ lab }) => lab.title).join(', '), style, policy,
    body: html`<header>
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
<script type="module">${script}</script>`,
  });
}
