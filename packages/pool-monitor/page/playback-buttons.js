/** @import { createPlayback } from './playback.js' */

/** In slow motion the page's time runs this fast. */
const SLOW = 0.25;
/** A page that is less behind is live. */
const NOTICED_MS = 500;

/**
 * Pause, slow motion, and the way back to the present, for people in front of a projector.
 * @param {Record<'pause' | 'slow' | 'live', HTMLButtonElement>} buttons
 * @param {ReturnType<typeof createPlayback>} playback
 */
export function createPlaybackButtons({ pause, slow, live }, playback) {
  let isPaused = false;
  let isSlow = false;

  function apply() {
    playback.setRate(isPaused ? 0 : isSlow ? SLOW : 1);
    pause.textContent = isPaused ? 'Resume' : 'Pause';
    slow.setAttribute('aria-pressed', String(isSlow));
    tick();
  }

  /** Says how far behind the page is. */
  function tick() {
    const behindMs = playback.behindMs();
    const isBehind = isPaused || isSlow || behindMs > NOTICED_MS;
    // It keeps its place, so that nothing moves.
    live.style.visibility = isBehind ? 'visible' : 'hidden';
    const text = `Back to live (${Math.round(behindMs / 1000)} s)`;
    if (isBehind && live.textContent !== text) live.textContent = text;
  }

  pause.addEventListener('click', () => {
    isPaused = !isPaused;
    apply();
  });
  slow.addEventListener('click', () => {
    isSlow = !isSlow;
    apply();
  });
  live.addEventListener('click', () => {
    isPaused = false;
    isSlow = false;
    apply();
    playback.goLive();
    tick();
    pause.focus();
  });
  tick();
  return { tick };
}
