import { createBrush } from './brush.js';
import { drawVehicle } from './draw-vehicle.js';
import { VEHICLES } from '../universal/vehicles.js';
import { formatSeconds } from './words.js';

/** @import { Box, Layout, Slot } from './lanes.js' */
/** @import { Palette } from './palette.js' */

/**
 * @typedef {object} Vehicle
 * @property {string | null} route
 * @property {number} progress 0 at the entrance, 1 at the exit
 * @property {number} [busyMs] told behind the exit, where there is room
 */

/** The height of a lane for which the vehicles were drawn. */
const DRAWN_FOR = 46;
const LARGEST_SCALE = 4.5;
const HILL_RADIUS = 20;
const WHITE = '#fdfcf9';

/**
 * Paints lanes and vehicles on a canvas, sharp on every screen.
 * @param {HTMLCanvasElement} canvas
 */
export function createPainter(canvas) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const { fill, stroke } = createBrush(context);
  /** @type {Palette} */
  let colors;
  /** @type {Layout} */
  let layout;
  /** @type {Box} */
  let box;

  /**
   * The road and the hill.
   * @param {Layout} newLayout
   * @param {Box} newBox
   */
  function begin(newLayout, newBox) {
    [layout, box] = [newLayout, newBox];
    fitCanvas();
    const roadHeight = layout.rows * layout.laneHeight;
    context.clearRect(0, 0, box.width, box.height);
    if (layout.kind === 'lane') fill(colors.road, () => context.rect(0, box.top, box.width, roadHeight));
    fill(colors.hill, () => {
      const top = Math.max(0, box.top - box.hill * 2);
      const width = box.right - box.left + 2 * box.hill;
      context.roundRect(box.left - box.hill, top, width, box.height - 2 * top, HILL_RADIUS);
    });
  }

  function fitCanvas() {
    const ratio = devicePixelRatio;
    const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** @param {number} index */
  function place(index) {
    const column = Math.floor(index / layout.rows);
    return {
      left: box.left + column * layout.laneWidth,
      top: box.top + (index % layout.rows) * layout.laneHeight,
    };
  }

  /**
   * @param {number} index
   * @param {Slot['state']} state
   */
  function paintLane(index, state) {
    const { left, top } = place(index);
    const { laneWidth, laneHeight, kind } = layout;
    const gap = kind === 'lane' ? 0 : kind === 'row' ? 2 : Math.min(2, laneHeight / 6);
    context.globalAlpha = state === 'closed' ? 0.07 : 1;
    fill(colors.tube, () => context.rect(left + gap, top + gap / 2, laneWidth - 2 * gap, laneHeight - gap));
    context.globalAlpha = 1;
    if (kind === 'lane' && index > 0) drawDashes(left, top, laneWidth);
    if (state === 'idle' || state === 'connecting') paintLamp(left, top, state);
  }

  /**
   * @param {number} left
   * @param {number} top
   * @param {number} length
   */
  function drawDashes(left, top, length) {
    context.setLineDash([14, 12]);
    stroke(WHITE, 2, () => {
      context.moveTo(left, top);
      context.lineTo(left + length, top);
    }, 0.6);
    context.setLineDash([]);
  }

  /**
   * The signal above an open lane; hollow while it is being opened.
   * @param {number} left
   * @param {number} top
   * @param {string} state
   */
  function paintLamp(left, top, state) {
    const { laneWidth, laneHeight, kind } = layout;
    const radius = Math.min(9, laneHeight * 0.22, laneWidth * 0.3);
    const x = kind === 'cell' ? left + laneWidth / 2 : left + 12 + radius;
    const draw = () => context.arc(x, top + laneHeight / 2, radius, 0, 2 * Math.PI);
    if (state === 'idle') fill(colors['measured-3'], draw);
    else stroke(colors['measured-3'], 1.5, draw);
  }

  /**
   * @param {number} index of its lane
   * @param {Vehicle} vehicle
   * @param {boolean} [asBar] how far it has come is told by a bar, and nothing moves
   */
  function paintVehicle(index, { route, progress, busyMs }, asBar = false) {
    const { left, top } = place(index);
    const { laneWidth, laneHeight, kind } = layout;
    const name = route === '/slow' ? 'bus' : 'ferrari';
    if (kind === 'cell') {
      paintCell(left, top, name, progress);
      return;
    }
    const { length } = VEHICLES[name];
    const scale = Math.min(laneHeight / DRAWN_FOR * 0.92, LARGEST_SCALE, laneWidth / 2 / length);
    const half = length / 2 * scale;
    const x = left + half + (asBar ? 0 : progress * (laneWidth - 2 * half));
    const y = top + laneHeight / 2 + 17 * scale;
    if (asBar) {
      context.globalAlpha = 0.55;
      fill(colorOf(name), () => {
        context.rect(left, top + laneHeight * 0.15, progress * laneWidth, laneHeight * 0.7);
      });
    }
    // What drives out of a small lane must not be seen in the next one.
    context.globalAlpha = progress <= 1 ? 1 : kind === 'row' ? 0 : Math.max(0, 1 - (progress - 1) / 0.3);
    const isDashing = name === 'ferrari' && busyMs === undefined;
    drawVehicle(context, colors, { name, x, y, scale, isDashing });
    context.globalAlpha = 1;
    if (kind === 'lane' && busyMs !== undefined && laneHeight >= 22) paintTime(busyMs, top, laneHeight);
  }

  /**
   * @param {number} left
   * @param {number} top
   * @param {'bus' | 'ferrari'} name
   * @param {number} progress
   */
  function paintCell(left, top, name, progress) {
    const { laneWidth, laneHeight } = layout;
    const gap = Math.min(2, laneHeight / 6);
    const width = (laneWidth - 2 * gap) * Math.min(1, Math.max(0.25, progress));
    fill(colorOf(name), () => context.rect(left + gap, top + gap / 2, width, laneHeight - gap));
  }

  /**
   * @param {number} busyMs
   * @param {number} top
   * @param {number} laneHeight
   */
  function paintTime(busyMs, top, laneHeight) {
    const size = Math.round(Math.min(32, laneHeight * 0.55, (box.width - box.right) * 0.23));
    context.font = `700 ${size}px ${getComputedStyle(canvas).fontFamily}`;
    context.textBaseline = 'middle';
    context.fillStyle = colors.ink;
    context.fillText(formatSeconds(busyMs), box.right + box.hill + 8, top + laneHeight / 2 + 1);
  }

  /**
   * The portals, and a frame around the lanes that are pointed out.
   * @param {number[]} highlighted
   */
  function finish(highlighted) {
    const bottom = box.top + layout.rows * layout.laneHeight;
    context.lineCap = 'round';
    stroke(colors.ink, 5, () => {
      for (const x of [box.left, box.right]) {
        context.moveTo(x, box.top - 4);
        context.lineTo(x, bottom + 4);
      }
    });
    for (const index of highlighted) {
      const { left, top } = place(index);
      stroke(colors.highlight, 5, () => {
        context.rect(left + 3, top + 3, layout.laneWidth - 6, layout.laneHeight - 6);
      });
    }
  }

  /** @param {'bus' | 'ferrari'} name */
  function colorOf(name) {
    return colors[name === 'bus' ? 'measured-1' : 'measured-2'];
  }

  return {
    begin,
    paintLane,
    paintVehicle,
    finish,
    /** @param {Palette} palette */
    setPalette(palette) {
      colors = palette;
    },
  };
}
