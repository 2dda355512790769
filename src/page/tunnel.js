import { listSlots, placeTunnel } from './lanes.js';
import { GONE, addDepartures, progressOf, progressOfDeparture } from './motion.js';
import { createPainter } from './paint-lanes.js';

/** @import { View } from './state.js' */
/** @import { Departure } from './motion.js' */
/** @import { Slot } from './lanes.js' */

/**
 * The picture of the pool: its lanes, what drives in them and what has just left them.
 * @param {HTMLCanvasElement} canvas fills its parent, which has the scene's height
 * @param {MediaQueryList} stillness whether the reader wants no movement
 */
export function createTunnel(canvas, stillness) {
  const painter = createPainter(canvas);
  const room = /** @type {HTMLElement} */ (canvas.parentElement);
  const scene = /** @type {HTMLElement} */ (room.parentElement);
  /** @type {Departure[]} */
  let departures = [];
  /** @type {Slot[]} */
  let slots = [];
  /** @type {Set<string | null>} */
  let highlighted = new Set();

  /**
   * @param {View} before
   * @param {View} state with a pool
   */
  function show(before, state) {
    if (!state.pool) return;
    departures = stillness.matches ? [] : addDepartures(departures, before, state);
    slots = listSlots(state.pool, state.slots);
    const text = describeSlots(slots);
    if (canvas.getAttribute('aria-label') !== text) canvas.setAttribute('aria-label', text);
  }

  /**
   * @param {View} state
   * @param {number} elapsedMs since the app told it
   */
  function paint({ pool, receivedAtMs }, elapsedMs) {
    const [width, height] = [room.clientWidth, room.clientHeight];
    const { layout, box } = placeTunnel(slots.length, width, height);
    widenRoad(`${Math.round(layout.rows * layout.laneHeight)}px`);
    painter.begin(layout, box);
    for (const [index, { state, lane }] of slots.entries()) {
      painter.paintLane(index, state);
      if (!lane || !pool) continue;
      const busyMs = lane.busyMs + elapsedMs;
      const vehicle = { route: lane.route, progress: progressOf(lane.route, busyMs, pool.slowMs), busyMs };
      painter.paintVehicle(index, vehicle, stillness.matches);
    }
    for (const departure of departures) {
      const progress = progressOfDeparture(departure, receivedAtMs + elapsedMs);
      if (progress < 0 || progress >= GONE) continue;
      painter.paintVehicle(departure.slot, { route: departure.route, progress });
    }
    painter.finish(slots.flatMap(({ lane }, index) => (
      lane && highlighted.has(lane.requestId) ? [index] : []
    )));
  }

  /**
   * The queue stands on a road as wide as the tunnel's. Told only when it changes: a style costs a layout.
   * @param {string} height
   */
  function widenRoad(height) {
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
    moves(nowMs) {
      return slots.some(({ lane }) => lane)
        || departures.some((departure) => progressOfDeparture(departure, nowMs) < GONE);
    },
    setPalette: painter.setPalette,
  };
}

/**
 * The picture in words.
 * @param {Slot[]} slots
 */
function describeSlots(slots) {
  /** @param {(slot: Slot) => boolean} test */
  const count = (test) => slots.filter(test).length;
  const parts = [
    [count(({ lane }) => lane?.route === '/slow'), 'with a bus'],
    [count(({ lane }) => lane !== undefined && lane.route !== '/slow'), 'with a Ferrari'],
    [count(({ state }) => state === 'idle'), 'open'],
    [count(({ state }) => state === 'connecting'), 'being opened'],
    [count(({ state }) => state === 'closed'), 'closed'],
  ].filter(([number]) => Number(number) > 0).map((part) => part.join(' '));
  return `The tunnel has ${slots.length} ${slots.length === 1 ? 'lane' : 'lanes'}: ${parts.join(', ')}`;
}
