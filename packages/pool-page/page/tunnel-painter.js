import { VehiclePainter, fill, stroke } from './vehicle-painter.js';
import { formatSeconds } from './words.js';

/** @import { Box, Layout } from './lanes.js' */
/** @import { Lane } from './lanes.js' */
/** @import { Palette } from './palette.js' */
/** @import { Area, Vehicle } from './vehicle-painter.js' */

/** How far the slopes of the hill reach, at its foot and at its top. */
const [FOOT, SHOULDER] = [14, 60];
const WHITE = '#fdfcf9';
/** No text can be read in a lower lane. */
export const MIN_TEXT_LANE = 22;

/** Paints one frame on a canvas: first the ground, then lanes and vehicles, then the portals. */
export class TunnelPainter {
  #canvas;
  #context;
  #colors;
  #layout;
  #box;
  #vehicles;
  /** What is written at the exit. @type {{ area: Area, busyMs: number }[]} */
  #times = [];

  /** @param {HTMLCanvasElement} canvas @param {Palette} colors @param {Layout} layout @param {Box} box */
  constructor(canvas, colors, layout, box) {
    this.#canvas = canvas;
    this.#context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.#colors = colors;
    this.#layout = layout;
    this.#box = box;
    this.#vehicles = new VehiclePainter(this.#context, colors);
    // One canvas pixel for each pixel of the screen.
    const ratio = devicePixelRatio;
    const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** Clears the canvas, and paints the road and the hill. */
  paintGround() {
    this.#context.clearRect(0, 0, this.#box.width, this.#box.height);
    this.#paintRoad(this.#box.width);
    this.#paintHill();
  }

  /** @param {number} index @param {Lane['state']} state */
  paintLane(index, state) {
    const context = this.#context;
    const { left, top, width, height } = this.areaOf(index);
    const { vehicles } = this.#layout;
    const gap = vehicles === 'large' ? 0 : vehicles === 'small' ? 2 : Math.min(2, height / 6);
    context.globalAlpha = state === 'closed' ? 0.07 : 1;
    fill(context, this.#colors.tube, () => context.rect(left + gap, top + gap / 2, width - 2 * gap, height - gap));
    context.globalAlpha = 1;
    if (vehicles === 'large' && index > 0) {
      context.setLineDash([14, 12]);
      const draw = () => {
        context.moveTo(left, top);
        context.lineTo(left + width, top);
      };
      stroke(context, WHITE, 2, draw, 0.6);
      context.setLineDash([]);
    }
    if (state === 'idle' || state === 'connecting') this.#paintLamp({ left, top, width, height }, state);
  }

  /**
   * @param {number} index of its lane
   * @param {Vehicle} vehicle
   * @param {boolean} [isStill]
   */
  paintVehicle(index, vehicle, isStill = false) {
    const area = this.areaOf(index);
    const { vehicles } = this.#layout;
    this.#vehicles.paint(area, vehicles, vehicle, isStill);
    const { busyMs } = vehicle;
    if (vehicles === 'large' && busyMs !== undefined && area.height >= MIN_TEXT_LANE)
      this.#times.push({ area, busyMs });
  }

  /**
   * What hides vehicles: they come out of the hill behind its walls, and nobody sees them before the entrance.
   * @param {number[]} highlighted indexes of the lanes that get a frame
   */
  paintPortals(highlighted) {
    const context = this.#context;
    const { left, right, top, width, height } = this.#box;
    const bottom = top + this.#layout.rows * this.#layout.laneHeight;
    context.save();
    context.beginPath();
    context.rect(0, 0, width, height);
    context.rect(left, top, right - left, bottom - top);
    context.clip('evenodd');
    this.#paintRoad(left);
    this.#paintHill();
    context.restore();
    context.lineCap = 'round';
    stroke(context, this.#colors.ink, 5, () => {
      for (const x of [left, right]) {
        context.moveTo(x, top - 4);
        context.lineTo(x, bottom + 4);
      }
    });
    for (const index of highlighted) {
      const area = this.areaOf(index);
      stroke(context, this.#colors.highlight, 5, () => {
        context.rect(area.left + 3, area.top + 3, area.width - 6, area.height - 6);
      });
    }
    this.#paintTimes();
  }

  /** @param {number} end */
  #paintRoad(end) {
    const { rows, laneHeight, vehicles } = this.#layout;
    if (vehicles !== 'large') return;
    fill(this.#context, this.#colors.road, () => this.#context.rect(0, this.#box.top, end, rows * laneHeight));
  }

  #paintHill() {
    const [context, box] = [this.#context, this.#box];
    const { rows, laneHeight } = this.#layout;
    fill(context, this.#colors.hill, () => {
      const [top, bottom] = [Math.max(0, box.top - box.hill * 3), box.top + rows * laneHeight];
      const [left, right, middle] = [box.left - box.hill, box.right + box.hill, (box.left + box.right) / 2];
      context.moveTo(left - FOOT, bottom);
      context.quadraticCurveTo(left, bottom - FOOT, left, box.top + FOOT);
      context.quadraticCurveTo(left, top + box.hill / 2, left + SHOULDER, top + box.hill / 2);
      context.quadraticCurveTo(middle, top - box.hill / 2, right - SHOULDER, top + box.hill / 2);
      context.quadraticCurveTo(right, top + box.hill / 2, right, box.top + FOOT);
      context.quadraticCurveTo(right, bottom - FOOT, right + FOOT, bottom);
    });
  }

  /** @param {number} index @returns {Area} */
  areaOf(index) {
    const { rows, laneWidth: width, laneHeight: height } = this.#layout;
    const left = this.#box.left + Math.floor(index / rows) * width;
    return { left, top: this.#box.top + (index % rows) * height, width, height };
  }

  /**
   * The lamp of an open lane; hollow while the lane is opening.
   * @param {Area} lane
   * @param {'idle' | 'connecting'} state
   */
  #paintLamp({ left, top, width, height }, state) {
    const context = this.#context;
    const color = this.#colors['measured-3'];
    const radius = Math.min(Math.max(9, height * 0.05), height * 0.22, width * 0.3);
    const x = this.#layout.vehicles === 'bar' ? left + width / 2 : left + 12 + radius;
    const draw = () => context.arc(x, top + height / 2, radius, 0, 2 * Math.PI);
    if (state === 'idle') fill(context, color, draw);
    else stroke(context, color, 1.5, draw);
  }

  /** How long each connection has been in use. */
  #paintTimes() {
    if (this.#times.length === 0) return;
    const context = this.#context;
    const { width, right, hill, top } = this.#box;
    const { fontFamily } = getComputedStyle(this.#canvas);
    const [x, size] = [right + hill + 8, Math.min(32, this.#layout.laneHeight * 0.55, (width - right) * 0.23)];
    context.fillStyle = this.#colors.ink;
    context.textBaseline = 'middle';
    context.font = `14px ${fontFamily}`;
    const [{ area: first }] = this.#times;
    const above = first.top + (first.height - size) / 2 - 10;
    context.fillText('in use', x, above < top + 8 ? top - 7 : above);
    context.font = `700 ${Math.round(size)}px ${fontFamily}`;
    for (const { area, busyMs } of this.#times)
      context.fillText(formatSeconds(busyMs), x, area.top + area.height / 2 + 1);
  }
}
