import { watchPalette } from 'mongodb-pool-page/page/palette.js';
import { TrafficPicture, assignTrips, describeWaiting, findPlaces } from 'mongodb-pool-page/page/traffic-picture.js';

/** @import { Traffic } from 'mongodb-pool-page/page/traffic-picture.js' */
/** @import { SimulatedAnswer } from '../../simulate-answer.js' */

/** A longer run is played faster. */
const MAX_FILM_MS = 12_000;

/** Plays the answer of a lesson in a tunnel, up to the moment that decides it, and stays there. */
export class AnswerFilm {
  #root;
  #picture;
  #reducedMotion;
  /** @type {Traffic | undefined} */
  #traffic;
  #isShown = '';
  #startedAtMs = 0;

  /** @param {HTMLElement} root @param {MediaQueryList} reducedMotion then it shows that moment at once */
  constructor(root, reducedMotion) {
    this.#root = root;
    this.#picture = new TrafficPicture(root);
    this.#reducedMotion = reducedMotion;
    watchPalette((colors) => {
      this.#picture.setPalette(colors);
      this.#paint();
    });
    new ResizeObserver(() => this.#paint()).observe(root);
  }

  /**
   * @param {string} lesson its name: another one starts the film
   * @param {SimulatedAnswer} [answer] none: nothing is shown
   */
  show(lesson, answer) {
    this.#root.hidden = !answer;
    const isShown = answer ? lesson : '';
    if (isShown === this.#isShown) return;
    this.#isShown = isShown;
    this.#traffic = answer && readAnswer(answer);
    if (answer) this.play();
  }

  play() {
    this.#startedAtMs = this.#reducedMotion.matches ? -Infinity : performance.now();
    const next = () => {
      if (!this.#paint()) requestAnimationFrame(next);
    };
    next();
  }

  /** @returns {boolean} whether it is at its end */
  #paint() {
    const traffic = this.#traffic;
    if (!traffic) return true;
    const { trips, endMs } = traffic;
    const speed = Math.max(1, endMs / MAX_FILM_MS);
    const atMs = Math.min(endMs, (performance.now() - this.#startedAtMs) * speed);
    const places = findPlaces(trips, atMs);
    this.#picture.paint(traffic, places, { atMs, speed, isStill: this.#reducedMotion.matches });
    const isOver = atMs === endMs;
    const longest = isOver ? ` ${describeLongest(trips)}` : '';
    const text = `${(atMs / 1000).toFixed(1)} s: ${describeWaiting(places)}.${longest}`;
    const caption = /** @type {HTMLElement} */ (this.#root.querySelector('.caption'));
    if (caption.textContent !== text) caption.textContent = text;
    return isOver;
  }
}

/** @param {SimulatedAnswer} answer @returns {Traffic} which ends at the moment that decides it */
function readAnswer({ trips, lanes }) {
  const traffic = assignTrips(
    trips.map((trip) => ({ ...trip, startedAtMs: trip.startedAtMs ?? NaN })),
    { '/slow': 'bus', '/fast': 'ferrari' },
    lanes,
  );
  return { trips: traffic, lanes, endMs: findDecisiveMs(traffic) };
}

/**
 * When the last one gave up; else just before the one that waited longest gets a lane. If nobody waited, when most of
 * them are in the tunnel.
 * @param {Traffic['trips']} trips
 */
function findDecisiveMs(trips) {
  const refused = trips.filter(({ outcome }) => outcome !== 'ok');
  if (refused.length > 0) return Math.max(...refused.map(({ finishedAtMs }) => finishedAtMs));
  const waits = trips.map(waitOf);
  const longestMs = Math.max(...waits);
  if (longestMs > 0) return trips[waits.indexOf(longestMs)].startedAtMs - 1e-3;
  const counts = trips.map(({ startedAtMs }) => findPlaces(trips, startedAtMs).driving.length);
  return trips[counts.indexOf(Math.max(...counts))].startedAtMs;
}

/** How long a trip waited, in ms. Someone who gives up has waited until then. @param {Traffic['trips'][number]} trip */
function waitOf({ arrivedAtMs, startedAtMs, finishedAtMs }) {
  return (Number.isNaN(startedAtMs) ? finishedAtMs : startedAtMs) - arrivedAtMs;
}

/** @param {Traffic['trips']} trips */
function describeLongest(trips) {
  const waitMs = Math.max(...trips.map(waitOf));
  return waitMs > 0 ? `The longest wait was ${(waitMs / 1000).toFixed(1)} s.` : 'Nobody had to wait.';
}
