import { SPEED_LINES, VEHICLES } from '../universal/vehicles.js';

/** @import { Palette } from './palette.js' */
/** @import { Part } from '../universal/vehicles.js' */

/** As in the style sheet that they share with the report. */
const WHEEL = '#1b1a18';
const RIM = '#fdfcf9';
const SHAPES = { bus: shapesOf(VEHICLES.bus.parts), ferrari: shapesOf(VEHICLES.ferrari.parts) };
const SPEED = new Path2D(SPEED_LINES);

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Palette} colors
 * @param {object} vehicle
 * @param {'bus' | 'ferrari'} vehicle.name
 * @param {number} vehicle.x its middle
 * @param {number} vehicle.y its wheels' line
 * @param {number} vehicle.scale 1 for a lane 46 px high
 * @param {boolean} vehicle.isDashing with lines of speed behind it
 */
export function drawVehicle(context, colors, { name, x, y, scale, isDashing }) {
  const [bus, ferrari] = [colors['measured-1'], colors['measured-2']];
  const paints = { bus, ferrari, glass: colors.glass, wheel: WHEEL };
  context.save();
  context.translate(x, y);
  context.scale(scale, scale);
  context.lineWidth = 2;
  context.strokeStyle = RIM;
  for (const { paint, shape } of SHAPES[name]) {
    context.fillStyle = paints[paint];
    context.fill(shape);
    if (paint === 'wheel') context.stroke(shape);
  }
  if (isDashing) context.stroke(SPEED);
  context.restore();
}

/** @param {Part[]} parts */
function shapesOf(parts) {
  return parts.map(({ paint, path }) => ({ paint, shape: new Path2D(path) }));
}
