/** @import uPlot from 'uplot' */
/** @import { LiveReading } from '../universal/feed-shapes.js' */
/** @import { ChartRoute } from './chart-routes.js' */
/** @import { Palette } from './palette.js' */

/**
 * @typedef {object} RequestDot a request that ended
 * @property {number} atMs by the app's clock
 * @property {string} route
 * @property {number} totalMs
 * @property {boolean} isWait whether it waited for connections for longer than it used them
 * @property {boolean} isFailed
 */

const KEPT_MS = 120_000;
/** More are drawn smaller. */
const MANY = 1500;
const [RADIUS, SMALL_RADIUS] = [3.5, 2];
/** Opacity of a wait. That of a use is 1. */
const PALE = 0.45;
/** Failures have a row above the chart, because their times are no response times. */
export const FAILED_ROW_PX = 22;

/**
 * @param {RequestDot[]} dots
 * @param {Pick<LiveReading, 'atMs' | 'finished'>} reading
 * @returns {RequestDot[]} oldest first
 */
export function addDots(dots, { atMs, finished }) {
  const from = dots.findIndex((dot) => dot.atMs > atMs - KEPT_MS);
  return [
    ...(from < 0 ? [] : dots.slice(from)),
    ...finished.map(({ route, status, totalMs, waitMs, useMs }) => ({
      atMs,
      route,
      totalMs,
      isWait: waitMs > useMs,
      isFailed: status === 0 || status >= 500,
    })),
  ];
}

/** @param {RequestDot[]} dots @returns {number} the longest response time */
export function findMostMs(dots) {
  return dots.reduce((most, { totalMs, isFailed }) => (isFailed ? most : Math.max(most, totalMs)), 1);
}

/**
 * Draws each request: the colour is that of its route, pale if it mostly waited. A failure is a cross.
 * @param {uPlot} plot its x axis is in seconds from now
 * @param {RequestDot[]} dots
 * @param {{ nowMs: number, routes: ChartRoute[], palette: Palette }} look
 */
export function drawDots(plot, dots, { nowMs, routes, palette }) {
  const { ctx: context, bbox } = plot;
  const colors = new Map(routes.flatMap(({ names, color }) => names.map((name) => [name, palette[color]])));
  const radius = (dots.length > MANY ? SMALL_RADIUS : RADIUS) * devicePixelRatio;
  context.save();
  context.beginPath();
  context.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height + radius);
  context.clip();
  context.strokeStyle = palette.ink;
  context.lineWidth = 2 * devicePixelRatio;
  const colorOf = (/** @type {RequestDot} */ { route }) => colors.get(route) ?? palette.published;
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const dot of dots) counts.set(colorOf(dot), (counts.get(colorOf(dot)) ?? 0) + 1);
  // A few dots would vanish below many, and what waited must not cover what it waited for.
  const ordered = dots
    .map((dot) => ({ ...dot, color: colorOf(dot) }))
    .sort((a, b) => Number(counts.get(b.color)) - Number(counts.get(a.color)) || +b.isWait - +a.isWait);
  for (const { atMs, color, totalMs, isWait, isFailed } of ordered) {
    const x = plot.valToPos((atMs - nowMs) / 1000, 'x', true);
    if (isFailed) {
      drawCross(context, x, bbox.top - (FAILED_ROW_PX / 2) * devicePixelRatio, radius);
      continue;
    }
    const y = plot.valToPos(Math.max(1, totalMs), 'y', true);
    // Opaque, so that many pale dots on one another stay pale.
    for (const [fill, alpha] of isWait
      ? /** @type {const} */ ([
          [palette.paper, 1],
          [color, PALE],
        ])
      : [[color, 1]]) {
      context.globalAlpha = Number(alpha);
      context.fillStyle = String(fill);
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
  }
  context.restore();
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} radius */
function drawCross(context, x, y, radius) {
  context.beginPath();
  for (const slope of [-1, 1]) {
    context.moveTo(x - radius, y - slope * radius);
    context.lineTo(x + radius, y + slope * radius);
  }
  context.stroke();
}
