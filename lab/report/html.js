import { readChartScripts, readStyle, renderDocument } from './document.js';
import { html, trust } from './markup.js';
import { renderLab } from './section.js';
import { VEHICLE_SYMBOLS } from 'mongodb-pool-page/universal/vehicles.js';

/** @import { LabView, Result } from './result-types.js' */

/**
 * Renders one HTML file that needs no network and allows none. Results of one lab share a section, which compares them.
 * @param {{ lab: LabView, result: Result }[]} entries at least one
 * @returns {string}
 */
export function renderHtml(entries) {
  const { scripts, policy } = readChartScripts(new URL('browser/draw-charts.js', import.meta.url));
  const names = [...new Set(entries.map(({ lab }) => lab.name))];
  const sections = names.map((name, index) => {
    const ofLab = entries.filter(({ lab }) => lab.name === name);
    return { lab: ofLab[0].lab, results: ofLab.map(({ result }) => result), id: `lab-${index + 1}` };
  });
  return renderDocument({
    title: sections.map(({ lab }) => lab.title).join(', '),
    style: readStyle(new URL('browser/style.css', import.meta.url)),
    policy,
    body: html`<header>
        <h1>MongoDB Pool Lab</h1>
        <p>A pool of connections is a tunnel, each connection a lane. A slow query is a bus, a fast one a Ferrari.</p>
        ${drawTunnel()}
        ${
          sections.length > 1 &&
          html`<nav aria-label="Experiments">
            <ul>
              ${sections.map(({ lab, id }) => html`<li><a href="#${id}">${lab.title}</a></li>`)}
            </ul>
          </nav>`
        }
      </header>
      <main>${sections.map(({ lab, results, id }) => renderLab(lab, results, id))}</main>
      ${scripts}`,
  });
}

const LANE = 46;
const WIDTH = 480;

/** The article's picture of a connection pool. */
function drawTunnel() {
  return html`<div class="tunnels">
    ${trust(VEHICLE_SYMBOLS)}
    ${drawScene('One lane: the Ferrari waits for the bus.', [
      [
        ['bus', 268],
        ['ferrari', 104],
      ],
    ])}
    ${drawScene('Two lanes: it drives past.', [
      [
        ['speed', 312],
        ['ferrari', 312],
      ],
      [['bus', 222]],
    ])}
  </div>`;
}

/** @param {string} caption @param {[vehicle: string, x: number][][]} lanes */
function drawScene(caption, lanes) {
  const height = 2 * LANE + 36;
  const top = (height - lanes.length * LANE) / 2;
  const bottom = top + lanes.length * LANE;
  return html`<figure class="tunnel">
    <svg viewBox="0 0 ${WIDTH} ${height}" aria-hidden="true">
      <rect class="road" y="${top}" width="${WIDTH}" height="${bottom - top}" />
      <rect class="hill" x="150" width="210" height="${height}" rx="28" />
      <rect class="tube" x="150" y="${top}" width="210" height="${bottom - top}" />
      ${lanes.slice(1).map((_, index) => {
        const y = top + (index + 1) * LANE;
        return html`<path class="dashes" d="M0 ${y}H${WIDTH}" />`;
      })}
      <path class="portal" d="M150 ${top - 5}V${bottom + 5}M360 ${top - 5}V${bottom + 5}" />
      ${lanes.map((vehicles, index) =>
        vehicles.map(([vehicle, x]) => html`<use href="#${vehicle}" x="${x}" y="${top + (index + 1) * LANE - 7}" />`),
      )}
    </svg>
    <figcaption>${caption}</figcaption>
  </figure>`;
}
