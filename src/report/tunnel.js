import { html } from './markup.js';

// One symbol each, drawn by its wheels' line at y = 0 and driving to the right.
const VEHICLES = html`<svg class="symbols" aria-hidden="true"><defs>
<g id="bus">
<path class="bus" d="M-44-6V-29q0-5 5-5H36q6 0 7 6l2 14V-6q0 2-2 2H-42q-2 0-2-2z"/>
<path class="glass" d="M-38-28h14v10h-14zm18 0h14v10h-14zm18 0h14v10h-14zm18 0h10v18h-10zm14 0h6l3 12h-9z"/>
<circle class="wheel" cx="-27" cy="-4" r="6"/><circle class="wheel" cx="24" cy="-4" r="6"/>
</g>
<g id="ferrari">
<path class="ferrari" d="M-31-6v-7l-3-4 5 1 10 0q8-8 18-8 9 0 17 8 13 1 17 6v5q0 1-2 1H-29q-2 0-2-2z"/>
<path class="glass" d="M-13-16q6-6 12-6v6zM2-22q7 1 12 6H2z"/>
<circle class="wheel" cx="-19" cy="-4" r="5"/><circle class="wheel" cx="19" cy="-4" r="5"/>
</g>
<path id="speed" class="speed" d="M-62-20h18M-74-13h32M-58-6h16"/>
</defs></svg>`;

const LANE = 46;
const WIDTH = 480;

/**
 * The article's picture of a connection pool: with one lane the Ferrari waits behind the bus, with another it
 * drives past.
 */
export function drawTunnel() {
  return html`<div class="tunnels">${VEHICLES}
${drawScene('One lane: the Ferrari waits for the bus.', [[['bus', 268], ['ferrari', 104]]])}
${drawScene('One lane more: it drives past.', [[['speed', 312], ['ferrari', 312]], [['bus', 222]]])}
</div>`;
}

/**
 * @param {string} caption
 * @param {[vehicle: string, x: number][][]} lanes
 */
function drawScene(caption, lanes) {
  const height = 2 * LANE + 36;
  const top = (height - lanes.length * LANE) / 2;
  const bottom = top + lanes.length * LANE;
  return html`<figure class="tunnel">
<svg viewBox="0 0 ${WIDTH} ${height}" aria-hidden="true">
<rect class="road" y="${top}" width="${WIDTH}" height="${bottom - top}"/>
<rect class="hill" x="150" width="210" height="${height}" rx="28"/>
<rect class="tube" x="150" y="${top}" width="210" height="${bottom - top}"/>
${lanes.slice(1).map((_, index) => {
    const y = top + (index + 1) * LANE;
    return html`<path class="dashes" d="M0 ${y}H${WIDTH}"/>`;
  })}
<path class="portal" d="M150 ${top - 5}V${bottom + 5}M360 ${top - 5}V${bottom + 5}"/>
${lanes.map((vehicles, index) => vehicles.map(([vehicle, x]) => (
    html`<use href="#${vehicle}" x="${x}" y="${top + (index + 1) * LANE - 7}"/>`
  )))}
</svg>
<figcaption>${caption}</figcaption>
</figure>`;
}
