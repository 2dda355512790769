/** A page that stays behind for longer goes back to the present: what it has yet to show takes memory. */
const MAX_BEHIND_MS = 600_000;

/**
 * The time that the page shows. It stands still in a pause, runs slower in slow motion, and is never ahead of the real
 * one. What happens meanwhile waits for its turn, so that the page goes on where it was.
 *
 * @param {() => void} onShown called after changes were applied
 * @param {() => number} [realMs] the page's real clock
 */
export function createPlayback(onShown, realMs = () => performance.now()) {
  /** @type {{ atMs: number, apply: (atMs: number) => void }[]} */
  let waiting = [];
  let rate = 1;
  let fromMs = 0;
  let sinceMs = 0;
  let isLive = true;

  const nowMs = () => (isLive ? realMs() : Math.min(realMs(), fromMs + (realMs() - sinceMs) * rate));

  /** Applies what has happened by now. */
  function catchUp() {
    const untilMs = nowMs();
    const due = waiting.findIndex(({ atMs }) => atMs > untilMs);
    const applied = due === -1 ? waiting : waiting.slice(0, due);
    waiting = due === -1 ? [] : waiting.slice(due);
    for (const { atMs, apply } of applied) apply(atMs);
    if (applied.length > 0) onShown();
  }

  function goLive() {
    isLive = true;
    rate = 1;
    catchUp();
  }

  return {
    nowMs,
    catchUp,
    goLive,
    behindMs: () => realMs() - nowMs(),
    /** @param {(atMs: number) => void} apply a change that has just happened; atMs: when, by the page's clock */
    add(apply) {
      waiting.push({ atMs: realMs(), apply });
      if (realMs() - nowMs() > MAX_BEHIND_MS) goLive();
      else catchUp();
    },
    /** @param {number} next how fast the page's time runs: 0 in a pause, 1 at most */
    setRate(next) {
      fromMs = nowMs();
      sinceMs = realMs();
      rate = next;
      isLive &&= rate === 1;
    },
  };
}

/** The pace of the page's time in slow motion. */
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

  const isLive = () => !isPaused && !isSlow && playback.behindMs() <= NOTICED_MS;

  /** Says how far behind the page is. */
  function tick() {
    const behindMs = playback.behindMs();
    const isBehind = !isLive();
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
  return { tick, isLive };
}
