import { createBooths } from './booths.js';
import { placeTunnel } from './lanes.js';
import { OUT_OF_SIGHT } from './motion.js';
import { TunnelPainter } from './tunnel-painter.js';
import { MAX_LENGTH, VehiclePainter, fill } from './vehicle-painter.js';
import { VEHICLES } from '../universal/vehicles.js';

/** @import { Palette } from './palette.js' */
/** @import { Area } from './vehicle-painter.js' */

/** The reader sees a vehicle leave for this long. */
const LEAVING_MS = 450;
/** The time is written beside rides of at least this long. */
const TIMED_MS = 500;
/** The place of a waiting vehicle, in px at scale 1. */
const CELL = { width: 66, height: 40 };
const MAX_SCALE = 1.7;
/** How many times as long as high a small tunnel is, and the hill beside it, in px. */
const SMALL_TUNNEL = { shape: 2.5, side: 7, top: 3 };
/** A lower one is drawn as a bar. */
const MIN_VEHICLE_PX = 10;
/** Vehicles get larger only while at least this many fit side by side. */
const MIN_COLUMNS = 4;

/**
 * @typedef {{ route: string, arrivedAtMs: number, startedAtMs: number, finishedAtMs: number, outcome: string }} Trip a
 *   request on its way: it waits until it starts, and then has a connection. startedAtMs is NaN if it never had one
 *
 * @typedef {object} Traffic what happens in a run
 * @property {(Trip & { kind: 'bus' | 'ferrari', lane: number })[]} trips in the order of their arrival; lane: -1
 *   without a connection
 * @property {number} lanes of all tunnels together
 * @property {number} [tunnels] more than one are small, and take the trips in turn; default 1
 * @property {number} [cores] of the server
 * @property {number} endMs
 */

/**
 * Gives each trip a lane: the first that is free when it starts.
 *
 * @param {Trip[]} trips
 * @param {Record<string, 'bus' | 'ferrari'>} kinds by route
 * @param {number} [lanes] the most
 * @returns {Traffic['trips']}
 */
export function assignTrips(trips, kinds, lanes = Infinity) {
  const kindOf = (/** @type {string} */ route) => (Object.hasOwn(kinds, route) ? kinds[route] : 'ferrari');
  const given = trips.map((trip) => ({ ...trip, kind: kindOf(trip.route), lane: -1 }));
  /** When each lane is free. @type {number[]} */
  const freeAtMs = [];
  const started = given.filter(({ startedAtMs }) => !Number.isNaN(startedAtMs));
  for (const trip of started.sort((a, b) => a.startedAtMs - b.startedAtMs)) {
    // Sums of times may differ in their last digit.
    const free = freeAtMs.findIndex((ms) => ms <= trip.startedAtMs + 1e-6);
    // Recorded times are rounded, so that the next one may seem to start before the last one ends.
    const next = freeAtMs.length < lanes ? freeAtMs.length : freeAtMs.indexOf(Math.min(...freeAtMs));
    trip.lane = free === -1 ? next : free;
    freeAtMs[trip.lane] = trip.finishedAtMs;
  }
  return given;
}

/**
 * @typedef {object} Moment of a run
 * @property {number} atMs
 * @property {number} speed ms of the simulation in one ms of the reader
 * @property {boolean} isStill vehicles do not move; bars show how far they are
 *
 * @typedef {ReturnType<typeof findPlaces>} Places
 */

/** Finds who waits, who drives, and how many gave up by then. @param {Traffic['trips']} trips @param {number} atMs */
export function findPlaces(trips, atMs) {
  const here = trips.filter(({ arrivedAtMs, finishedAtMs }) => arrivedAtMs <= atMs && atMs < finishedAtMs);
  return {
    waiting: here.filter(({ startedAtMs }) => !(startedAtMs <= atMs)),
    driving: here.filter(({ startedAtMs }) => startedAtMs <= atMs),
    failed: trips.filter(({ finishedAtMs, outcome }) => outcome !== 'ok' && finishedAtMs <= atMs).length,
  };
}

/** @param {Places} places */
export function describeWaiting({ waiting, failed }) {
  return `${waiting.length === 0 ? 'nobody' : waiting.length} waiting${failed > 0 ? `, ${failed} gave up` : ''}`;
}

/** The queue, the tunnel and the toll booths of a run at one moment: for pages that know all of it in advance. */
export class TrafficPicture {
  #queue;
  #tunnel;
  #plaza;
  #booths;
  /** @type {Palette | undefined} */
  #colors;

  /** @param {HTMLElement} stage */
  constructor(stage) {
    const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (stage.querySelector(selector));
    this.#queue = /** @type {HTMLCanvasElement} */ (find('.line canvas'));
    this.#tunnel = /** @type {HTMLCanvasElement} */ (find('.tunnel canvas'));
    this.#plaza = find('.server');
    this.#booths = createBooths(this.#plaza);
  }

  /** @param {Palette} colors */
  setPalette(colors) {
    this.#colors = colors;
  }

  /**
   * @param {Traffic} traffic
   * @param {Places} places of its trips at that moment
   * @param {Moment} moment
   */
  paint({ trips, lanes, tunnels = 1, cores }, places, { atMs, speed, isStill }) {
    if (!this.#colors) return;
    const { waiting, driving } = places;
    this.#plaza.hidden = !cores;
    if (cores) this.#booths.show({ cores, busyCores: Math.min(cores, driving.length) });
    const { clientWidth: width, clientHeight: height } = /** @type {HTMLElement} */ (this.#tunnel.parentElement);
    const { layout, box } = placeTunnel(lanes, width, height);
    const painter = new TunnelPainter(this.#tunnel, this.#colors, layout, box);
    painter.paintGround();
    this.#paintQueue(waiting, layout.rows * layout.laneHeight);
    this.#describe(lanes, tunnels, places);
    if (tunnels > 1) {
      const { left, right, top } = box;
      const area = { left, top, width: right - left, height: layout.rows * layout.laneHeight };
      this.#paintTunnels(tunnels, trips, driving, atMs, area);
      return;
    }
    const taken = new Set(driving.map(({ lane }) => lane));
    for (let lane = 0; lane < lanes; lane++) painter.paintLane(lane, taken.has(lane) ? 'busy' : 'idle');
    for (const { kind, lane, startedAtMs, finishedAtMs } of driving) {
      const progress = (atMs - startedAtMs) / (finishedAtMs - startedAtMs);
      const busyMs = finishedAtMs - startedAtMs >= TIMED_MS ? atMs - startedAtMs : undefined;
      painter.paintVehicle(lane, { kind, progress, busyMs }, isStill);
    }
    if (!isStill) this.#paintLeaving(painter, trips, atMs, speed);
    painter.paintPortals([]);
  }

  /**
   * Small tunnels on the hill, as many in a row as fit. A vehicle is larger than its lane: nobody could see it.
   * @param {number} tunnels
   * @param {Traffic['trips']} trips
   * @param {Traffic['trips']} driving those of them that are on their way
   * @param {number} atMs
   * @param {Area} area of the road
   */
  #paintTunnels(tunnels, trips, driving, atMs, area) {
    const colors = /** @type {Palette} */ (this.#colors);
    const context = /** @type {CanvasRenderingContext2D} */ (this.#tunnel.getContext('2d'));
    const columns = Math.ceil(Math.sqrt((tunnels * area.width) / area.height / SMALL_TUNNEL.shape));
    const [width, height] = [area.width / columns, area.height / Math.ceil(tunnels / columns)];
    const [length, tall] = [width - 2 * SMALL_TUNNEL.side, height - 2 * SMALL_TUNNEL.top];
    const placeOf = (/** @type {number} */ tunnel) => ({
      left: area.left + (tunnel % columns) * width + SMALL_TUNNEL.side,
      top: area.top + Math.floor(tunnel / columns) * height + SMALL_TUNNEL.top,
    });
    for (let tunnel = 0; tunnel < tunnels; tunnel++) {
      const { left, top } = placeOf(tunnel);
      fill(context, colors.tube, () => context.rect(left, top, length, tall));
      fill(context, colors.ink, () => {
        for (const x of [left, left + length]) context.rect(x - 1, top - 1, 2, tall + 2);
      });
    }
    const painter = new VehiclePainter(context, colors);
    const rows = Math.ceil((Math.max(...trips.map(({ lane }) => lane)) + 1) / tunnels);
    const size = tall / rows >= MIN_VEHICLE_PX ? 'small' : 'bar';
    for (const { kind, lane, startedAtMs, finishedAtMs } of driving) {
      const { left, top } = placeOf(lane % tunnels);
      const place = { left, top: top + (Math.floor(lane / tunnels) * tall) / rows, width: length, height: tall / rows };
      painter.paint(place, size, { kind, progress: (atMs - startedAtMs) / (finishedAtMs - startedAtMs) }, false);
    }
  }

  /** @param {TunnelPainter} painter @param {Traffic['trips']} trips @param {number} atMs @param {number} speed */
  #paintLeaving(painter, trips, atMs, speed) {
    /** The last trip that left each lane. @type {Map<number, Traffic['trips'][number]>} */
    const left = new Map();
    for (const trip of trips) {
      const { lane, finishedAtMs } = trip;
      const isRecent = lane >= 0 && finishedAtMs <= atMs && finishedAtMs > atMs - LEAVING_MS * speed;
      if (isRecent && !(Number(left.get(lane)?.finishedAtMs) > finishedAtMs)) left.set(lane, trip);
    }
    for (const [lane, { kind, finishedAtMs }] of left) {
      const share = (atMs - finishedAtMs) / (LEAVING_MS * speed);
      painter.paintVehicle(lane, { kind, progress: 1 + (OUT_OF_SIGHT - 1) * share });
    }
  }

  /**
   * The first in line is at the entrance, on the right.
   * @param {Traffic['trips']} waiting
   * @param {number} roadHeight
   */
  #paintQueue(waiting, roadHeight) {
    const colors = /** @type {Palette} */ (this.#colors);
    const { clientWidth: width, clientHeight: height } = /** @type {HTMLElement} */ (this.#queue.parentElement);
    this.#queue.width = Math.round(width * devicePixelRatio);
    this.#queue.height = Math.round(height * devicePixelRatio);
    const context = /** @type {CanvasRenderingContext2D} */ (this.#queue.getContext('2d'));
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const scale = Math.min(MAX_SCALE, Math.max(1, width / CELL.width / MIN_COLUMNS));
    const cell = { width: CELL.width * scale, height: CELL.height * scale };
    const road = Math.min(height, Math.max(roadHeight, cell.height + 8));
    const top = (height - road) / 2;
    context.fillStyle = colors.road;
    context.fillRect(0, top, width, road);
    const rows = Math.max(1, Math.floor(road / cell.height));
    const columns = Math.max(1, Math.floor(width / cell.width));
    const room = rows * columns;
    const shown = waiting.length > room ? waiting.slice(0, room - 1) : waiting;
    const painter = new VehiclePainter(context, colors);
    const areaOf = (/** @type {number} */ index) => ({
      left: width - (Math.floor(index / rows) + 1) * cell.width,
      top: top + (road - rows * cell.height) / 2 + (index % rows) * cell.height,
      height: cell.height,
    });
    for (const [index, { kind }] of shown.entries()) {
      const { left, ...area } = areaOf(index);
      const length = VEHICLES[kind].length * 0.68 * scale;
      const place = { ...area, left: left + (cell.width - length) / 2, width: length / MAX_LENGTH };
      painter.paint(place, 'large', { kind, progress: 0, busyMs: 0 }, false);
    }
    if (shown.length === waiting.length) return;
    const { left, top: y } = areaOf(room - 1);
    context.font = `700 ${17 * scale}px ${getComputedStyle(this.#queue).fontFamily}`;
    Object.assign(context, { fillStyle: colors.ink, textAlign: 'center', textBaseline: 'middle' });
    context.fillText(`+${waiting.length - shown.length}`, left + cell.width / 2, y + cell.height / 2);
  }

  /** @param {number} lanes @param {number} tunnels @param {Places} places */
  #describe(lanes, tunnels, places) {
    const text =
      `${places.driving.length} of ${lanes} ${lanes === 1 ? 'lane' : 'lanes'} ` +
      `${tunnels > 1 ? `in ${tunnels} tunnels ` : ''}busy, ${describeWaiting(places)}`;
    if (this.#tunnel.getAttribute('aria-label') !== text) this.#tunnel.setAttribute('aria-label', text);
  }
}
