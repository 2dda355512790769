import { AnswerFilm } from './answer-film.js';
import { onLookChange } from '../../../report/browser/chart-tools.js';
import { drawCharts } from './class-charts.js';
import { create, find, followClass, setText, showLegend } from './class-page.js';
import { createPeople } from './class-people.js';
import { fitProjector } from './fit-projector.js';
import { drawQrCode, QR_SIZE } from './qr-code.js';

/** @import { RoomView } from '../class-view.js' */

/**
 * The token is in the part of the address that browsers do not send. It leaves the address bar, which the projector
 * shows.
 */
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? sessionStorage.getItem('token') ?? undefined;
if (token) sessionStorage.setItem('token', token);
if (location.hash) history.replaceState(null, '', location.pathname);

/** @type {RoomView | undefined} */
let room;
let isManaging = false;
let hasQrCode = false;
const film = new AnswerFilm(find('replay'), matchMedia('(prefers-reduced-motion: reduce)'));

const button = (/** @type {string} */ id) => /** @type {HTMLButtonElement} */ (find(id));

/** @param {RoomView} view */
function show(view) {
  room = view;
  const { lesson, lessons, code, at } = view;
  setText('link', `${at}/join`);
  setText('code', code);
  showQrCode(`http://${at}/join/${code}`);
  setText('number', `Lesson ${lesson.number} of ${lessons.length}`);
  setText('title', lesson.title);
  setText('question', lesson.question ?? 'This lesson has no guess.');
  setText('closest', lesson.guessChart.found);
  setText('why', lesson.why ?? '');
  setText('counts', describeCounts(view));
  setText('progress', describeProgress(view));
  setText('trouble', '');
  film.show(lesson.name, lesson.replay);
  button('again').hidden = !lesson.replay;
  find('legend').hidden = !lesson.question;
  showLegend(lesson);
  button('reveal').disabled = lesson.isRevealed;
  button('reveal').textContent = lesson.isRevealed ? 'Revealed' : 'Reveal the answer';
  button('previous').disabled = lesson.number === 1;
  button('next').disabled = lesson.number === lessons.length;
  button('door').textContent = view.asksFirst ? 'Let anyone join' : 'Ask me before anyone joins';
  showPeople();
  draw();
}

/** @param {string} link */
function showQrCode(link) {
  // A phone can't reach a class that only this machine can join.
  const rows = isLoopback(new URL(link).hostname) ? undefined : drawQrCode(link);
  hasQrCode = rows !== undefined;
  find('qr').toggleAttribute('hidden', !rows);
  const squares = (rows ?? []).flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  // Readers need a light margin of four modules.
  find('qr').setAttribute('viewBox', `-4 -4 ${QR_SIZE + 8} ${QR_SIZE + 8}`);
  find('qr').querySelector('path')?.setAttribute('d', squares.join(''));
}

/** @param {string} host */
function isLoopback(host) {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

/** The list is built again at each change, and the button with the focus keeps it. */
function showPeople() {
  if (!room) return;
  const focused = document.activeElement?.getAttribute('aria-label');
  const options = {
    areNamesHidden: areNamesHidden(),
    isManaging,
    onAction: (/** @type {string} */ action, /** @type {string[]} */ names) =>
      names.forEach((name) => send('/class/learner', { name, action })),
  };
  find('people').replaceChildren(...createPeople(room, options));
  const again = [...find('people').querySelectorAll('button')].find(({ ariaLabel }) => ariaLabel === focused);
  if (focused) again?.focus();
}

function draw() {
  if (!room) return;
  const { lesson } = room;
  find('guesses').hidden = !lesson.question;
  find('curve').hidden = !lesson.curve;
  fitProjector({
    hasQrCode,
    isOpen: !lesson.isRevealed,
    draw: (freePx) => drawCharts(document, lesson, { freePx }),
  });
}

/** @param {RoomView} view */
function describeCounts({ lesson, people }) {
  const all = people.length;
  if (all === 0) return 'Nobody has joined yet.';
  const able = people.filter(({ onPhone }) => !onPhone).length;
  const parts = [
    lesson.question && !lesson.isRevealed && `${lesson.guessed} of ${all} have guessed`,
    able > 0 && lesson.checked > 0 && `${lesson.checked} of ${able} have measured`,
  ].filter(Boolean);
  return parts.length > 0 ? `${parts.join(', ')}.` : '';
}

/** @param {RoomView} view */
function describeProgress({ lesson, lessons, people }) {
  const { done, case: ownCase, solved } = lessons[lesson.number - 1];
  const stuck = people.filter(({ state }) => state === 'stuck').length;
  const parts = [
    `${people.length} in the room`,
    done > 0 && `${done} have finished this lesson`,
    solved > 0 && `${solved} have solved ${ownCase}`,
    stuck > 0 && `${stuck} may need a hand`,
  ];
  return people.length > 0 ? `${parts.filter(Boolean).join(', ')}.` : '';
}

function areNamesHidden() {
  return sessionStorage.getItem('names') === 'hidden';
}

/** @param {string} path @param {object} [body] */
async function send(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...authorise(), 'Content-Type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  }).catch(() => undefined);
  if (!response?.ok) setText('trouble', 'The class refused that. Try again.');
}

function authorise() {
  return token ? { Authorization: `Bearer ${token}` } : undefined;
}

/** @param {number} by */
function move(by) {
  const lesson = room?.lessons[room.lesson.number - 1 + by];
  if (lesson) send('/class/lesson', { lesson: lesson.name });
}

async function save() {
  const response = await fetch('/class/result', { headers: { ...authorise() } });
  const link = create('a', { href: URL.createObjectURL(await response.blob()), download: 'class.html' });
  link.click();
  URL.revokeObjectURL(link.href);
}

button('reveal').addEventListener('click', () => send('/class/reveal'));
button('again').addEventListener('click', () => film.play());
button('previous').addEventListener('click', () => move(-1));
button('next').addEventListener('click', () => move(1));
button('save').addEventListener('click', () =>
  save().catch(() => setText('trouble', 'The result could not be saved.')),
);
button('names').addEventListener('click', () => {
  sessionStorage.setItem('names', areNamesHidden() ? 'shown' : 'hidden');
  showNamesButton();
  showPeople();
});
button('manage').addEventListener('click', () => {
  isManaging = !isManaging;
  button('manage').textContent = isManaging ? 'Stop managing' : 'Manage the room';
  showPeople();
});
button('door').addEventListener('click', () => send('/class/door', { asksFirst: !room?.asksFirst }));

function showNamesButton() {
  button('names').textContent = areNamesHidden() ? 'Show the names' : 'Hide the names';
}
showNamesButton();
onLookChange(draw);
addEventListener('resize', draw);

followClass('/class/events', {
  token,
  onData: show,
  onTrouble: (status) =>
    setText(
      'trouble',
      status === 401
        ? 'This page needs the token of the class. Open the link that pool-lab class printed.'
        : "Can't reach the class. This page reconnects by itself.",
    ),
});
