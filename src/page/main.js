import { announce, createMemory } from './announcer.js';
import { createCharts } from './charts.js';
import { createControls } from './controls.js';
import { listenToApp } from './event-feed.js';
import { createLoadTestTable } from './load-test-list.js';
import { createNoteList } from './note-list.js';
import { watchPalette } from './palette.js';
import { createPredictionPanel } from './prediction-panel.js';
import { createScene } from './scene.js';
import { VEHICLE_SYMBOLS } from '../universal/vehicles.js';
import { conditionOf, createState } from './state.js';
import { describeConnection } from './words.js';

/** @import { State } from './state.js' */

/** The page counts on from what the app last said, but not for longer than this. */
const LONGEST_GUESS_MS = 1500;
const SPEAK_EVERY_MS = 250;

/** @param {string} selector */
const find = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector));

document.body.insertAdjacentHTML('afterbegin', VEHICLE_SYMBOLS);
const stillness = matchMedia('(prefers-reduced-motion: reduce)');
const scene = createScene(
  { sentence: find('#sentence'), list: find('#queue'), detail: find('#detail'), canvas: find('#tunnel') }, stillness);
const slowScene = createScene({
  sentence: find('#slow-sentence'), list: find('#slow-queue'), detail: find('#slow-detail'), canvas: find('#slow-tunnel'),
}, stillness);
const scenes = [scene, slowScene];
const charts = createCharts();
const controls = createControls();
const showLoadTests = createLoadTestTable(find('#load-tests'));
const prediction = createPredictionPanel(find('#what-if'));
const showNotes = createNoteList({ list: find('#notes'), none: find('#no-notes') });

let state = createState();
let memory = createMemory();
/** Whether the page shows less than is known. */
let isStale = true;

/** @param {State} next */
function show(next) {
  const before = state;
  state = next;
  document.body.dataset.connection = conditionOf(state);
  say('#connection', describeConnection(state));
  say('#version', state.snapshot ? `MongoDB ${state.snapshot.serverVersion}` : '');
  if (state.seconds !== before.seconds) {
    charts.show(state.seconds);
    prediction.show(state);
  }
  scene.show(state);
  find('#slow').hidden = !state.slow;
  slowScene.show(state.slow);
  showNotes(state);
  controls.show(state);
  showLoadTests(state.loadTests);
  isStale = true;
  if (stillness.matches || document.hidden) paint();
}

/** All that changes between two events of the app. */
function paint() {
  isStale = false;
  const elapsedMs = Math.min(performance.now() - state.receivedAtMs, LONGEST_GUESS_MS);
  for (const each of scenes) each.paint(elapsedMs);
}

/** By the clock, not by events: what was worth saying must not be forgotten when the app falls silent. */
function speak() {
  const said = announce(memory, state, performance.now());
  memory = said.memory;
  if (said.message) find('#announcement').textContent = said.message;
}

function paintFrames() {
  const moves = scenes.some((each) => each.moves(performance.now()));
  if (!stillness.matches && (moves || isStale)) paint();
  requestAnimationFrame(paintFrames);
}

/**
 * @param {string} selector
 * @param {string} text
 */
function say(selector, text) {
  const element = find(selector);
  if (element.textContent !== text) element.textContent = text;
}

watchPalette((palette) => {
  for (const each of scenes) each.setPalette(palette);
  charts.setPalette(palette);
  prediction.setPalette(palette);
  paint();
});
const sizes = new ResizeObserver(paint);
for (const room of document.querySelectorAll('.scene')) sizes.observe(room);
listenToApp(show);
setInterval(speak, SPEAK_EVERY_MS);
paintFrames();
