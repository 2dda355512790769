/**
 * @typedef {object} VehiclePart one colour of a vehicle
 * @property {'bus' | 'ferrari' | 'glass' | 'wheel'} paint its class in the style sheet
 * @property {string} path an SVG path
 */

/**
 * They drive to the right, with the middle at x = 0 and the bottom of the wheels at y = 0, in a lane 46 high.
 * @type {Record<'bus' | 'ferrari', { length: number, parts: VehiclePart[] }>}
 */
export const VEHICLES = {
  bus: {
    length: 90,
    parts: [
      { paint: 'bus', path: 'M-44-6V-29q0-5 5-5H36q6 0 7 6l2 14V-6q0 2-2 2H-42q-2 0-2-2z' },
      {
        paint: 'glass',
        path: 'M-38-28h14v10h-14zm18 0h14v10h-14zm18 0h14v10h-14zm18 0h10v18h-10zm14 0h6l3 12h-9z',
      },
      { paint: 'wheel', path: drawWheel(-27, 6) },
      { paint: 'wheel', path: drawWheel(24, 6) },
    ],
  },
  ferrari: {
    length: 64,
    parts: [
      {
        paint: 'ferrari',
        path: 'M-31-6v-7l-3-4 5 1 10 0q8-8 18-8 9 0 17 8 13 1 17 6v5q0 1-2 1H-29q-2 0-2-2z',
      },
      { paint: 'glass', path: 'M-13-16q6-6 12-6v6zM2-22q7 1 12 6H2z' },
      { paint: 'wheel', path: drawWheel(-19, 5) },
      { paint: 'wheel', path: drawWheel(19, 5) },
    ],
  },
};

/** Behind a dashing Ferrari. */
export const SPEED_LINES = 'M-62-20h18M-74-13h32M-58-6h16';

/** Markup that each page needs once, for `<use href="#bus">`, `#ferrari` and `#speed`. */
export const VEHICLE_SYMBOLS = `<svg class="symbols" aria-hidden="true"><defs>
${Object.entries(VEHICLES)
  .map(
    ([name, { parts }]) => `<g id="${name}">
${parts.map(({ paint, path }) => `<path class="${paint}" d="${path}"/>`).join('\n')}
</g>`,
  )
  .join('\n')}
<path id="speed" class="speed" d="${SPEED_LINES}"/>
</defs></svg>`;

/** @param {number} x @param {number} radius */
function drawWheel(x, radius) {
  const across = 2 * radius;
  return `M${x - radius}-4a${radius} ${radius} 0 1 1 ${across} 0a${radius} ${radius} 0 1 1 ${-across} 0z`;
}
