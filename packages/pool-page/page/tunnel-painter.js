import { VehiclePainter, fill, findFront, stroke } from './vehicle-painter.js';
import { formatSeconds } from './words.js';

/** @import { Box, Layout } from './lanes.js' */
/** @import { Lane } from './lanes.js' */
/** @import { Palette } from './palette.js' */
/** @import { Area, Vehicle } from './vehicle-painter.js' */

/** How far the slopes of the hill reach, at its foot and at its top. */
const [FOOT, SHOULDER] = [14, 60];
const WHITE = '#fdfcf9';
/** The first that fits. */
const LABEL_PX = [17, 15, 13];
const PADDING = 10;

/** Paints one frame on a canvas: first the ground, then lanes and vehicles, then the portals. */
export class TunnelPainter {
  #canvas;
  #context;
  #colors;
  #layout;
  #box;
  #vehicles;

  /** @param {HTMLCanvasElement} canvas @param {Palette} colors @param {Layout} layout @param {Box} box */
  constructor(canvas, colors, layout, box) {
    this.#canvas = canvas;
    this.#context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.#colors = colors;
    this.#layout = layout;
    this.#box = box;
    this.#vehicles = new VehiclePainter(this.#context, colors);
    this.#fitCanvas();
  }

  /** Clears the canvas, and paints the road and the hill. */
  paintGround() {
    const [layout, box] = [this.#layout, this.#box];
    const context = this.#context;
    const roadHeight = layout.rows * layout.laneHeight;
    context.clearRect(0, 0, box.width, box.height);
    if (layout.vehicles === 'large') {
      fill(context, this.#colors.road, () => context.rect(0, box.top, box.width, roadHeight));
    }
    fill(context, this.#colors.hill, () => {
      const [top, bottom] = [Math.max(0, box.top - box.hill * 3), box.top + roadHeight];
      const [left, right, middle] = [box.left - box.hill, box.right + box.hill, (box.left + box.right) / 2];
      context.moveTo(left - FOOT, bottom);
      context.quadraticCurveTo(left, bottom - FOOT, left, box.top + FOOT);
      context.quadraticCurveTo(left, top + box.hill / 2, left + SHOULDER, top + box.hill / 2);
      context.quadraticCurveTo(middle, top - box.hill / 2, right - SHOULDER, top + box.hill / 2);
      context.quadraticCurveTo(right, top + box.hill / 2, right, box.top + FOOT);
      context.quadraticCurveTo(right, bottom - FOOT, right + FOOT, bottom);
    });
  }

  /** @param {number} index @param {Lane['state']} state */
  paintLane(index, state) {
    const context = this.#context;
    const { left, top, width, height } = this.#areaOf(index);
    const { vehicles } = this.#layout;
    const gap = vehicles === 'large' ? 0 : vehicles === 'small' ? 2 : Math.min(2, height / 6);
    context.globalAlpha = state === 'closed' ? 0.07 : 1;
    fill(context, this.#colors.tube, () => context.rect(left + gap, top + gap / 2, width - 2 * gap, height - gap));
    context.globalAlpha = 1;
    if (vehicles === 'large' && index > 0) this.#paintDashes(left, top, width);
    if (state === 'idle' || state === 'connecting') this.#paintLamp({ left, top, width, height }, state);
  }

  /**
   * @param {number} index of its lane
   * @param {Vehicle} vehicle
   * @param {boolean} [isStill]
   */
  paintVehicle(index, vehicle, isStill = false) {
    const area = this.#areaOf(index);
    const { vehicles } = this.#layout;
    this.#vehicles.paint(area, vehicles, vehicle, isStill);
    if (vehicles === 'large' && vehicle.busyMs !== undefined && area.height >= 22)
      this.#paintTime(vehicle.busyMs, area);
  }

  /**
   * What parks in a lane for good, as far as there is room behind it.
   * @param {number} index of its lane
   * @param {Vehicle} vehicle
   * @param {string[]} texts the longest first
   */
  paintParked(index, vehicle, texts) {
    const area = this.#areaOf(index);
    if (this.#layout.vehicles !== 'large' || area.height < 22) return;
    const context = this.#context;
    const start = findFront(area, vehicle) + PADDING;
    const room = area.left + area.width - PADDING - start;
    const { fontFamily } = getComputedStyle(this.#canvas);
    context.textBaseline = 'middle';
    context.fillStyle = WHITE;
    for (const text of texts) {
      for (const size of LABEL_PX) {
        context.font = `600 ${size}px ${fontFamily}`;
        if (context.measureText(text).width > room) continue;
        context.fillText(text, start, area.top + area.height / 2 + 1);
        return;
      }
    }
  }

  /** @param {number[]} highlighted indexes of the lanes that get a frame */
  paintPortals(highlighted) {
    const context = this.#context;
    const { left, right, top } = this.#box;
    const bottom = top + this.#layout.rows * this.#layout.laneHeight;
    context.lineCap = 'round';
    stroke(context, this.#colors.ink, 5, () => {
      for (const x of [left, right]) {
        context.moveTo(x, top - 4);
        context.lineTo(x, bottom + 4);
      }
    });
    for (const index of highlighted) {
      const area = this.#areaOf(index);
      stroke(context, this.#colors.highlight, 5, () => {
        context.rect(area.left + 3, area.top + 3, area.width - 6, area.height - 6);
      });
    }
  }

  /** One canvas pixel for each pixel of the screen. */
  #fitCanvas() {
    const ratio = devicePixelRatio;
    const [width, height] = [Math.round(this.#box.width * ratio), Math.round(this.#box.height * ratio)];
    if (this.#canvas.width !== width || this.#canvas.height !== height) Object.assign(this.#canvas, { width, height });
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** @param {number} index @returns {Area} */
  #areaOf(index) {
    const { rows, laneWidth: width, laneHeight: height } = this.#layout;
    const left = this.#box.left + Math.floor(index / rows) * width;
    return { left, top: this.#box.top + (index % rows) * height, width, height };
  }

  /** @param {number} left @param {number} top @param {number} length */
  #paintDashes(left, top, length) {
    const context = this.#context;
    context.setLineDash([14, 12]);
    const draw = () => {
      context.moveTo(left, top);
      context.lineTo(left + length, top);
    };
    stroke(context, WHITE, 2, draw, 0.6);
    context.setLineDash([]);
  }

  /**
   * The lamp of an open lane; hollow while the lane is opening.
   * @param {Area} lane
   * @param {'idle' | 'connecting'} state
   */
  #paintLamp({ left, top, width, height }, state) {
    const context = this.#context;
    const color = this.#colors['measured-3'];
    const radius = Math.min(9, height * 0.22, width * 0.3);
    const x = this.#layout.vehicles === 'bar' ? left + width / 2 : left + 12 + radius;
    const draw = () => context.arc(x, top + height / 2, radius, 0, 2 * Math.PI);
    if (state === 'idle') fill(context, color, draw);
    else stroke(context, color, 1.5, draw);
  }

  /** @param {number} busyMs @param {Area} lane */
  #paintTime(busyMs, { top, height }) {
    const context = this.#context;
    const { width, right, hill } = this.#box;
    const size = Math.round(Math.min(32, height * 0.55, (width - right) * 0.23));
    context.font = `700 ${size}px ${getComputedStyle(this.#canvas).fontFamily}`;
    context.textBaseline = 'middle';
    context.fillStyle = this.#colors.ink;
    context.fillText(formatSeconds(busyMs), right + hill + 8, top + height / 2 + 1);
  }
}
