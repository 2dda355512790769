import { announce, createMemory } from './announcer.js';
import { createCharts } from './charts.js';
import { listenToApp } from './event-feed.js';
import { LastMinute } from './last-minute.js';
import { createNoteList } from './notes.js';
import { PageExtension } from './page-extension.js';
import { watchPalette } from './palette.js';
import { createPlaybackButtons } from './playback.js';
import { PredictionPanel } from './prediction-panel.js';
import { Predictor } from './predictor.js';
import { createScene } from './scene.js';
import { VEHICLE_SYMBOLS } from '../universal/vehicles.js';
import { conditionOf, createState } from './state.js';
import { describeApp, describeBottleneck, describeClient, describeConnection, describeKind } from './words.js';

/** @import { State } from './state.js' */

/** Between two events, the page's clocks run on for at most this long. */
const MAX_ELAPSED_MS = 1500;
const SPEAK_EVERY_MS = 250;

/** @param {string} selector */
const find = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector));

/** @param {string} selector */
const findButton = (selector) => /** @type {HTMLButtonElement} */ (find(selector));

document.body.insertAdjacentHTML('afterbegin', VEHICLE_SYMBOLS);
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
const scene = createScene(
  {
    sentence: find('#sentence'),
    list: find('#queue'),
    detail: find('#detail'),
    risks: find('#risks'),
    canvas: find('#tunnel'),
    plaza: find('#server'),
  },
  reducedMotion,
);
/** A page with one tunnel does not load them. @type {import('./other-scenes.js').OtherScenes | undefined} */
let others;
/** @type {Promise<void> | undefined} */
let loadingOthers;
const charts = createCharts();
const predictor = new Predictor();
const prediction = new PredictionPanel(find('#what-if'), predictor);
/** Says why requests wait now. @type {typeof import('./queue-reason.js').explainQueue} */
let explainQueue = () => '';
/** @type {Promise<unknown> | undefined} */
let queueWords;
/** Says why requests waited in the last minute. @type {(isQueued: boolean) => string} */
let explainPast = () => '';
const lastMinute = new LastMinute(predictor, async ({ atMs, diagnosis, whatIf, speedups }) => {
  if (whatIf) prediction.use(atMs, whatIf);
  if (speedups !== undefined) (await import('./speedup-details.js')).showSpeedups(find('#speedups'), speedups);
  // A page without traffic does not load the words.
  const words = diagnosis && (await import('../universal/explain-diagnosis.js'));
  explainPast = (isQueued) => (words && diagnosis ? words.explainLastMinute(diagnosis, isQueued) : '');
  explain();
});
const showNotes = createNoteList({ list: find('#notes'), none: find('#no-notes') });

const extension = new PageExtension();
// Before the stream opens, so that it misses no event.
await extension.load(find('#app'));

/** What the page shows may be the past: people pause it. */
const playback = listenToApp(show, extension.events);
const buttons = createPlaybackButtons(
  { pause: findButton('#pause'), slow: findButton('#slow'), live: findButton('#back-to-live') },
  playback,
);
let state = createState();
let memory = createMemory();
/** Whether the latest state is yet to be painted. */
let isStale = true;

/** @param {State} next */
function show(next) {
  const before = state;
  state = next;
  document.body.dataset.connection = conditionOf(state);
  setText('#connection', describeConnection(state));
  if (state.snapshot && state.snapshot !== before.snapshot) {
    const { title, about } = describeApp(state.snapshot);
    setText('#title', title);
    setText('#version', about);
    document.title = `${title}, live`;
  }
  document.body.dataset.bottleneck = state.bottleneck ? 'server' : 'none';
  if (state.bottleneck) setText('#verdict strong', describeBottleneck(state.bottleneck));
  if (state.seconds !== before.seconds) {
    charts.show(state);
    // It is about the present, so it stays as it is while the page shows the past.
    if (buttons.isLive()) lastMinute.show(state);
  }
  if (state.kinds !== before.kinds) showLegend();
  scene.show(state);
  prediction.show(state);
  setText('#client', state.pool && state.others.length > 0 ? `This is ${describeClient(state.pool)}.` : '');
  if (state.others.length > 0) loadingOthers ??= loadOthers();
  others?.show(state.others);
  showNotes(state);
  extension.show(state);
  isStale = true;
  if (reducedMotion.matches || document.hidden) paint();
}

/** Says why requests wait now, and why they did. */
function explain() {
  // A page without a queue does not load the words.
  if (state.queuedSinceMs !== null)
    queueWords ??= import('./queue-reason.js').then((words) => (explainQueue = words.explainQueue));
  const reason = explainQueue(state);
  setText('#queue-reason', reason);
  setText('#diagnosis', explainPast(reason !== ''));
}

/** Paints what changes between two events of the app. */
function paint() {
  isStale = false;
  const elapsedMs = Math.min(playback.nowMs() - state.receivedAtMs, MAX_ELAPSED_MS);
  for (const each of listScenes()) each.paint(elapsedMs);
  explain();
}

function listScenes() {
  return [scene, ...(others?.list() ?? [])];
}

async function loadOthers() {
  const { createOtherScenes } = await import('./other-scenes.js');
  const elements = { place: find('#others'), template: find('#other'), rest: find('#no-room') };
  const created = createOtherScenes(elements, reducedMotion);
  others = created;
  watchPalette((palette) => {
    created.setPalette(palette);
    created.show(state.others);
    paint();
  });
}

function showLegend() {
  const { known, learned, useMs } = state.kinds;
  const routes = Object.keys(useMs).sort((a, b) => useMs[b] - useMs[a]);
  for (const [selector, kind] of /** @type {const} */ ([
    ['#buses', 'bus'],
    ['#ferraris', 'ferrari'],
  ])) {
    setText(
      selector,
      describeKind(
        kind,
        routes.filter((route) => (known[route] ?? learned[route]) === kind),
      ),
    );
  }
}

/** Runs by the clock, not by events: it must still speak when the app falls silent. */
function speak() {
  playback.catchUp();
  buttons.tick();
  const said = announce(memory, state, playback.nowMs(), extension.messages);
  memory = said.memory;
  if (said.message) find('#announcement').textContent = said.message;
}

function paintFrames() {
  playback.catchUp();
  const isMoving = listScenes().some((each) => each.isMoving(playback.nowMs()));
  if (!reducedMotion.matches && (isMoving || isStale)) paint();
  requestAnimationFrame(paintFrames);
}

/** @param {string} selector @param {string} text */
function setText(selector, text) {
  const element = find(selector);
  if (element.textContent !== text) element.textContent = text;
}

watchPalette((palette) => {
  scene.setPalette(palette);
  charts.setPalette(palette);
  prediction.setPalette(palette);
  paint();
});
const sizes = new ResizeObserver(paint);
for (const selector of ['.scene', '#others']) sizes.observe(find(selector));
setInterval(speak, SPEAK_EVERY_MS);
paintFrames();
