import { kindOf } from '../universal/route-kinds.js';
import { keyOf, listLanes, placeTunnel } from './lanes.js';
import { OUT_OF_SIGHT, addDepartures, progressOf, progressOfDeparture } from './motion.js';
import { MIN_TEXT_LANE, TunnelPainter } from './tunnel-painter.js';
import { findFront } from './vehicle-painter.js';
import { describeParked } from './words.js';

/** @import { BusyConnection } from '../universal/feed-shapes.js' */
/** @import { RouteKinds } from '../universal/route-kinds.js' */
/** @import { Departure } from './motion.js' */
/** @import { Lane } from './lanes.js' */
/** @import { Palette } from './palette.js' */
/** @import { View } from './state.js' */
/** @import { Area, Vehicle } from './vehicle-painter.js' */

/** Sizes of a label; the first that fits is used. */
const LABEL_PX = [17, 15, 13];
const PADDING = 10;

/**
 * The picture of a pool: its lanes, the vehicles in them, and the vehicles that are driving out.
 * @param {HTMLCanvasElement} canvas fills its parent
 * @param {MediaQueryList} reducedMotion
 */
export function createTunnel(canvas, reducedMotion) {
  const container = /** @type {HTMLElement} */ (canvas.parentElement);
  const scene = /** @type {HTMLElement} */ (container.parentElement);
  /** @type {Palette} */
  let colors;
  /** @type {Departure[]} */
  let departures = [];
  /** @type {Lane[]} */
  let lanes = [];
  /** @type {Set<string | null>} */
  let highlighted = new Set();

  /** @param {View} before @param {View} view with a pool */
  function show(before, view) {
    if (!view.pool) return;
    departures = reducedMotion.matches ? [] : addDepartures(departures, before, view);
    lanes = listLanes(view.pool, view.laneIndexes);
    const text = describeLanes(lanes, view.kinds);
    if (canvas.getAttribute('aria-label') !== text) canvas.setAttribute('aria-label', text);
  }

  /** @param {View} view @param {number} elapsedMs since the view was received */
  function paint({ receivedAtMs, drivenMs, pace, kinds }, elapsedMs) {
    const { layout, box } = placeTunnel(lanes.length, container.clientWidth, container.clientHeight);
    setRoadHeight(`${Math.round(layout.rows * layout.laneHeight)}px`);
    const painter = new TunnelPainter(canvas, colors, layout, box);
    painter.paintGround();
    for (const [index, { state, connection }] of lanes.entries()) {
      painter.paintLane(index, state);
      if (!connection) continue;
      const busyMs = connection.busyMs + elapsedMs;
      const driven = (drivenMs.get(keyOf(connection)) ?? 0) + elapsedMs * pace;
      const kind = kindOfLane(connection, kinds, elapsedMs);
      const vehicle = { kind, progress: progressOf(connection, driven, kinds), busyMs };
      painter.paintVehicle(index, vehicle, reducedMotion.matches);
      if (connection.kind && layout.vehicles === 'large')
        paintParked(canvas, painter.areaOf(index), vehicle, describeParked(connection.kind));
    }
    for (const departure of departures) {
      const progress = progressOfDeparture(departure, receivedAtMs + elapsedMs);
      if (progress < 0 || progress >= OUT_OF_SIGHT) continue;
      painter.paintVehicle(departure.laneIndex, { kind: departure.kind, progress });
    }
    painter.paintPortals(
      lanes.flatMap(({ connection }, index) => (connection && highlighted.has(connection.requestId) ? [index] : [])),
    );
  }

  /**
   * The queue's road is as wide as the tunnel's. Set only on a change: each set costs a layout.
   * @param {string} height
   */
  function setRoadHeight(height) {
    if (scene.style.getPropertyValue('--road-height') !== height) scene.style.setProperty('--road-height', height);
  }

  return {
    show,
    paint,
    /** @param {Set<string | null>} requestIds */
    highlight(requestIds) {
      highlighted = requestIds;
    },
    /** @param {number} nowMs */
    isMoving(nowMs) {
      return (
        lanes.some(({ connection }) => connection) ||
        departures.some((departure) => progressOfDeparture(departure, nowMs) < OUT_OF_SIGHT)
      );
    },
    /** @param {Palette} palette */
    setPalette(palette) {
      colors = palette;
    },
  };
}

/** @param {BusyConnection} connection @param {RouteKinds} kinds @param {number} [elapsedMs] */
function kindOfLane({ route, kind, busyMs }, kinds, elapsedMs = 0) {
  return kind ? 'bus' : kindOf(kinds, route, busyMs + elapsedMs);
}

/**
 * Writes what parks in a large lane for good, as far as there is room behind it.
 * @param {HTMLCanvasElement} canvas
 * @param {Area} lane
 * @param {Vehicle} vehicle
 * @param {string[]} texts the longest first
 */
function paintParked(canvas, lane, vehicle, texts) {
  if (lane.height < MIN_TEXT_LANE) return;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const start = findFront(lane, vehicle) + PADDING;
  const room = lane.left + lane.width - PADDING - start;
  const { fontFamily } = getComputedStyle(canvas);
  context.textBaseline = 'middle';
  context.fillStyle = '#fdfcf9';
  for (const text of texts) {
    for (const size of LABEL_PX) {
      context.font = `600 ${size}px ${fontFamily}`;
      if (context.measureText(text).width > room) continue;
      context.fillText(text, start, lane.top + lane.height / 2 + 1);
      return;
    }
  }
}

/** The picture for a screen reader. @param {Lane[]} lanes @param {RouteKinds} kinds */
function describeLanes(lanes, kinds) {
  /** @param {(lane: Lane) => boolean} test */
  const count = (test) => lanes.filter(test).length;
  const parts = [
    [count(({ connection }) => connection?.kind !== undefined), 'parked for good'],
    [
      count(({ connection }) => Boolean(connection && !connection.kind && kindOfLane(connection, kinds) === 'bus')),
      'with a bus',
    ],
    [count(({ connection }) => Boolean(connection && kindOfLane(connection, kinds) === 'ferrari')), 'with a Ferrari'],
    [count(({ state }) => state === 'idle'), 'open'],
    [count(({ state }) => state === 'connecting'), 'opening'],
    [count(({ state }) => state === 'closed'), 'closed'],
  ]
    .filter(([number]) => Number(number) > 0)
    .map((part) => part.join(' '));
  return `The tunnel has ${lanes.length} ${lanes.length === 1 ? 'lane' : 'lanes'}: ${parts.join(', ')}`;
}
