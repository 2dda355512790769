import { SPEED_LINES, VEHICLES } from '../universal/vehicles.js';

/** @import { Layout } from './lanes.js' */
/** @import { Palette } from './palette.js' */
/** @import { Kind } from '../universal/route-kinds.js' */
/** @import { VehiclePart } from '../universal/vehicles.js' */

/**
 * @typedef {object} Vehicle
 * @property {Kind} kind
 * @property {number} progress 0 at the entrance, 1 at the exit, more beyond it
 * @property {number} [busyMs] undefined once it is driving out
 *
 * @typedef {{ left: number, top: number, width: number, height: number }} Area in px
 */

/** As in universal/look.css. */
const WHEEL = '#1b1a18';
const RIM = '#fdfcf9';
const SHAPES = { bus: shapesOf(VEHICLES.bus.parts), ferrari: shapesOf(VEHICLES.ferrari.parts) };
const SPEED = new Path2D(SPEED_LINES);
/** The lane height for which universal/vehicles.js draws. */
const DRAWN_HEIGHT = 46;
const MAX_SCALE = 6;
/** The longest vehicle's share of its lane. */
export const MAX_LENGTH = 0.6;

export class VehiclePainter {
  #context;
  #colors;

  /** @param {CanvasRenderingContext2D} context @param {Palette} colors */
  constructor(context, colors) {
    this.#context = context;
    this.#colors = colors;
  }

  /**
   * @param {Area} lane
   * @param {Layout['vehicles']} size
   * @param {Vehicle} vehicle
   * @param {boolean} isStill a growing bar shows the progress, and the vehicle does not move
   */
  paint(lane, size, { kind: name, progress, busyMs }, isStill) {
    const context = this.#context;
    if (size === 'bar') {
      this.#paintBar(lane, name, progress);
      return;
    }
    const scale = scaleOf(lane, name);
    const half = (VEHICLES[name].length / 2) * scale;
    const x = lane.left + half + (isStill ? 0 : progress * (lane.width - 2 * half));
    const y = lane.top + lane.height / 2 + 17 * scale;
    if (isStill) {
      context.globalAlpha = 0.55;
      fill(context, this.#colorOf(name), () => {
        context.rect(lane.left, lane.top + lane.height * 0.15, progress * lane.width, lane.height * 0.7);
      });
    }
    // A vehicle that drives out of a small lane would show in the next one.
    context.globalAlpha = progress <= 1 ? 1 : size === 'small' ? 0 : Math.max(0, 1 - (progress - 1) / 0.3);
    const isDashing = name === 'ferrari' && busyMs === undefined;
    this.#draw(name, x, y, scale, isDashing);
    context.globalAlpha = 1;
  }

  /** @param {Area} lane @param {'bus' | 'ferrari'} name @param {number} progress */
  #paintBar(lane, name, progress) {
    const gap = Math.min(2, lane.height / 6);
    const width = (lane.width - 2 * gap) * Math.min(1, Math.max(0.25, progress));
    fill(this.#context, this.#colorOf(name), () => {
      this.#context.rect(lane.left + gap, lane.top + gap / 2, width, lane.height - gap);
    });
  }

  /**
   * @param {'bus' | 'ferrari'} name
   * @param {number} x its middle
   * @param {number} y the bottom of its wheels
   * @param {number} scale 1 for a lane of `DRAWN_HEIGHT`
   * @param {boolean} isDashing with speed lines behind it
   */
  #draw(name, x, y, scale, isDashing) {
    const context = this.#context;
    const paints = {
      bus: this.#colorOf('bus'),
      ferrari: this.#colorOf('ferrari'),
      glass: this.#colors.glass,
      wheel: WHEEL,
    };
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

  /** @param {'bus' | 'ferrari'} name */
  #colorOf(name) {
    return this.#colors[name === 'bus' ? 'measured-1' : 'measured-2'];
  }
}

/** @param {Area} lane @param {Kind} name */
function scaleOf({ width, height }, name) {
  return Math.min((height / DRAWN_HEIGHT) * 0.92, MAX_SCALE, (MAX_LENGTH * width) / VEHICLES[name].length);
}

/**
 * Where the front of a large vehicle is, in px.
 * @param {Area} lane
 * @param {Pick<Vehicle, 'kind' | 'progress'>} vehicle
 */
export function findFront(lane, { kind, progress }) {
  const length = VEHICLES[kind].length * scaleOf(lane, kind);
  return lane.left + length + progress * (lane.width - length);
}

/** @param {VehiclePart[]} parts */
function shapesOf(parts) {
  return parts.map(({ paint, path }) => ({ paint, shape: new Path2D(path) }));
}

/** @param {CanvasRenderingContext2D} context @param {string} color @param {() => void} draw adds to the path */
export function fill(context, color, draw) {
  context.beginPath();
  draw();
  context.fillStyle = color;
  context.fill();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} color
 * @param {number} width
 * @param {() => void} draw adds to the path
 * @param {number} [alpha]
 */
export function stroke(context, color, width, draw, alpha = 1) {
  context.beginPath();
  draw();
  context.globalAlpha = alpha;
  context.lineWidth = width;
  context.strokeStyle = color;
  context.stroke();
  context.globalAlpha = 1;
}
