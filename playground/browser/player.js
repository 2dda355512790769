import { TrafficPicture, describeWaiting, findPlaces } from 'mongodb-pool-page/page/traffic-picture.js';

/** @import { Palette } from 'mongodb-pool-page/page/palette.js' */
/** @import { Moment, Traffic } from 'mongodb-pool-page/page/traffic-picture.js' */

/** A run is a few still pictures with reduced motion. */
const STILL_PICTURES = 24;
const STILL_EVERY_MS = 900;
/** Points of the line that shows how many wait. */
const POINTS = 240;
/** A tab that was in the background continues where it was. */
const MAX_FRAME_MS = 100;
/** The picture before anybody has pressed a button, as a share of the run. */
const PREVIEW = 0.08;
/** A beginning that is played again and again stays at its end for this long. */
const HOLD_MS = 1500;

/** Plays a run in the picture: play, pause, step, slow motion, and a line of time with the length of the queue. */
export class Player {
  #picture;
  #elements;
  #reducedMotion;
  /** @type {Traffic} */
  #traffic = { trips: [], lanes: 1, endMs: 0 };
  #speed = 1;
  #atMs = 0;
  /** Who is where at that moment. */
  #places = findPlaces([], 0);
  #isPlaying = false;
  #isNew = true;
  #isVisible = false;
  #paintedAtMs = 0;
  /** While the beginning plays again and again: its end. @type {number | null} */
  #loopEndMs = null;
  #heldMs = 0;
  #onPaint;

  /** @param {HTMLElement} root @param {MediaQueryList} reducedMotion @param {(moment: Moment) => void} [onPaint] */
  constructor(root, reducedMotion, onPaint = () => {}) {
    this.#onPaint = onPaint;
    const find = (/** @type {string} */ selector) => /** @type {any} */ (root.querySelector(selector));
    this.#picture = new TrafficPicture(find('.stage'));
    this.#reducedMotion = reducedMotion;
    this.#elements = {
      play: /** @type {HTMLButtonElement} */ (find('.play')),
      time: /** @type {HTMLInputElement} */ (find('.time input')),
      slow: /** @type {HTMLSelectElement} */ (find('.slow select')),
      caption: /** @type {HTMLElement} */ (find('.caption')),
      line: /** @type {SVGPathElement} */ (find('.time path')),
      peak: /** @type {HTMLElement} */ (find('.peak')),
    };
    const { play, time } = this.#elements;
    play.addEventListener('click', () => (this.#isPlaying ? this.pause() : this.play()));
    find('.step').addEventListener('click', () => this.#step());
    time.addEventListener('input', () => {
      this.pause();
      this.#goTo(Number(time.value) * this.#traffic.endMs);
    });
    new IntersectionObserver(
      ([{ isIntersecting }]) => {
        this.#isVisible = isIntersecting;
        this.paint();
        this.#schedule();
      },
      { rootMargin: '20%' },
    ).observe(find('.stage'));
    new ResizeObserver(() => this.paint()).observe(find('.stage'));
  }

  /** @param {Palette} palette */
  setPalette(palette) {
    this.#picture.setPalette(palette);
    this.paint();
  }

  /** @param {Traffic} traffic @param {number} speed ms of the simulation in one ms of the reader */
  load(traffic, speed) {
    this.#traffic = traffic;
    this.#speed = speed;
    this.#drawQueue();
    if (this.#isNew) this.#goTo(findPreview(traffic));
    else this.#goTo(Math.min(this.#atMs, traffic.endMs));
    this.#isNew = false;
  }

  /**
   * Plays the beginning again and again, up to that moment. With reduced motion, nothing plays on its own.
   * @param {number} endMs
   */
  loop(endMs) {
    if (this.#reducedMotion.matches) return;
    this.#loopEndMs = endMs;
    this.#goTo(0);
    this.#setPlaying(true);
    this.#schedule();
  }

  play() {
    this.#loopEndMs = null;
    if (this.#atMs >= this.#traffic.endMs) this.#atMs = 0;
    this.#setPlaying(true);
    this.#schedule();
  }

  pause() {
    this.#loopEndMs = null;
    this.#setPlaying(false);
  }

  /** Plays from the beginning. With reduced motion, nothing plays on its own. */
  start() {
    this.#goTo(0);
    if (!this.#reducedMotion.matches) this.play();
  }

  paint() {
    if (!this.#isVisible) return;
    const moment = { atMs: this.#atMs, speed: this.#pace(), isStill: this.#reducedMotion.matches };
    this.#picture.paint(this.#traffic, this.#places, moment);
    this.#onPaint(moment);
  }

  /** @param {boolean} isPlaying */
  #setPlaying(isPlaying) {
    this.#isPlaying = isPlaying;
    this.#elements.play.textContent = isPlaying ? 'Pause' : 'Play';
  }

  #pace() {
    return this.#speed * Number(this.#elements.slow.value);
  }

  #schedule() {
    if (!this.#isPlaying || !this.#isVisible) return;
    this.#paintedAtMs = performance.now();
    const next = () => {
      if (!this.#isPlaying || !this.#isVisible) return;
      const nowMs = performance.now();
      const isStill = this.#reducedMotion.matches;
      const elapsedMs = nowMs - this.#paintedAtMs;
      if (!isStill) {
        this.#paintedAtMs = nowMs;
        this.#advance(Math.min(elapsedMs, MAX_FRAME_MS) * this.#pace());
      } else if (elapsedMs >= STILL_EVERY_MS) {
        this.#paintedAtMs = nowMs;
        this.#advance(this.#traffic.endMs / STILL_PICTURES);
      }
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }

  /** @param {number} ms */
  #advance(ms) {
    if (this.#loopEndMs !== null && this.#atMs >= this.#loopEndMs) {
      this.#heldMs += ms / this.#pace();
      if (this.#heldMs < HOLD_MS) return;
      this.#heldMs = 0;
      this.#goTo(0);
    }
    this.#goTo(Math.min(this.#atMs + ms, this.#traffic.endMs));
    if (this.#atMs >= this.#traffic.endMs) this.pause();
  }

  /** Goes to the next moment at which anything happens. */
  #step() {
    this.pause();
    let nextMs = Infinity;
    for (const { arrivedAtMs, startedAtMs, finishedAtMs } of this.#traffic.trips) {
      for (const ms of [arrivedAtMs, startedAtMs, finishedAtMs]) if (ms > this.#atMs && ms < nextMs) nextMs = ms;
    }
    this.#goTo(nextMs === Infinity ? 0 : nextMs);
  }

  /** @param {number} atMs */
  #goTo(atMs) {
    this.#atMs = atMs;
    const { time, caption } = this.#elements;
    const { endMs, trips } = this.#traffic;
    time.value = String(endMs > 0 ? atMs / endMs : 0);
    this.#places = findPlaces(trips, atMs);
    const text =
      `${formatClock(atMs, this.#traffic)} · ${this.#places.driving.length} in the tunnel, ` +
      `${describeWaiting(this.#places)}`;
    if (caption.textContent !== text) caption.textContent = text;
    time.setAttribute('aria-valuetext', text);
    this.paint();
  }

  #drawQueue() {
    const { trips, endMs } = this.#traffic;
    const counts = countWaiting(trips, endMs);
    const peak = Math.max(...counts, 1);
    const points = counts.map((count, index) => `${(index / POINTS) * 100} ${(1 - count / peak) * 20}`);
    this.#elements.line.setAttribute('d', `M0 20L${points.join('L')}L100 20z`);
    this.#elements.peak.textContent = peak > 1 || counts.includes(1) ? `up to ${peak} waiting` : 'nobody waiting';
  }
}

/** When it gets interesting: somebody has to wait, or is on the way. @param {Traffic} traffic */
export function findDecisiveMs(traffic) {
  const delayed = traffic.trips.filter(({ arrivedAtMs, startedAtMs }) => startedAtMs > arrivedAtMs + 1e-6);
  return delayed.length > 1 ? delayed[1].arrivedAtMs + 1e-6 : findPreview(traffic);
}

/** A moment with somebody on the way. @param {Traffic} traffic */
function findPreview({ trips, endMs }) {
  const driven = trips.filter((trip) => trip.startedAtMs >= 0);
  const trip = driven.find(({ finishedAtMs }) => finishedAtMs > endMs * PREVIEW);
  return trip ? Math.max(endMs * PREVIEW, (trip.startedAtMs + trip.finishedAtMs) / 2) : 0;
}

/**
 * The largest number of waiting requests in each part of the run.
 * @param {Traffic['trips']} trips
 * @param {number} endMs
 */
function countWaiting(trips, endMs) {
  const changes = trips
    .flatMap(({ arrivedAtMs, startedAtMs, finishedAtMs }) => {
      const untilMs = Number.isNaN(startedAtMs) ? finishedAtMs : startedAtMs;
      return untilMs > arrivedAtMs
        ? [
            [arrivedAtMs, 1],
            [untilMs, -1],
          ]
        : [];
    })
    .sort(([a, up], [b, down]) => a - b || up - down);
  const counts = Array.from({ length: POINTS + 1 }, () => 0);
  let waiting = 0;
  let from = 0;
  for (const [ms, change] of changes) {
    const to = Math.min(POINTS, Math.floor((ms / endMs) * POINTS));
    for (let index = from; index <= to; index++) counts[index] = Math.max(counts[index], waiting);
    waiting += change;
    from = to;
    counts[to] = Math.max(counts[to], waiting);
  }
  return counts;
}

/**
 * As exact as its steps are short.
 * @param {number} ms
 * @param {Traffic} traffic
 */
function formatClock(ms, { trips, endMs }) {
  const stepMs = endMs / Math.max(trips.length, 1);
  return `${(ms / 1000).toFixed(stepMs < 20 ? 3 : stepMs < 200 ? 2 : 1)} s`;
}
