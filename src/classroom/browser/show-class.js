import { followClass } from './class-stream.js';
import { drawGuesses, drawPoints, hasCurve } from './dot-charts.js';

/** @import { PersonView, RoomView } from '../class-view.js' */

/** The token is in the part of the address that browsers do not send. It leaves the address bar, which the projector shows. */
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? sessionStorage.getItem('token') ?? undefined;
if (token) sessionStorage.setItem('token', token);
if (location.hash) history.replaceState(null, '', location.pathname);

const STATES = { stuck: 'May need a hand', working: 'Working', guessed: 'Have guessed', done: 'Have finished this lesson' };

/** @type {RoomView | undefined} */
let room;

/** @param {string} id */
const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const button = (/** @type {string} */ id) => /** @type {HTMLButtonElement} */ (find(id));

/** @param {RoomView} view */
function show(view) {
  room = view;
  const { lesson, lessons, code, people, at } = view;
  setText('link', `${at}/join`);
  setText('code', code);
  setText('number', `Lesson ${lesson.number} of ${lessons.length}`);
  setText('title', lesson.title);
  setText('question', lesson.question ?? 'This lesson has no guess.');
  setText('counts', describeCounts(view));
  setText('progress', describeProgress(view));
  setText('trouble', '');
  find('legend').hidden = !lesson.question;
  button('reveal').disabled = lesson.isRevealed;
  button('reveal').textContent = lesson.isRevealed ? 'Revealed' : 'Reveal the measurements';
  button('previous').disabled = lesson.number === 1;
  button('next').disabled = lesson.number === lessons.length;
  find('people').replaceChildren(...Object.entries(STATES).flatMap(([state, words]) => (
    createGroup(words, people.filter((one) => one.state === state)))));
  draw();
}

function draw() {
  if (!room) return;
  const { lesson } = room;
  const [guesses, points] = [find('guesses'), find('points')];
  guesses.hidden = !lesson.question;
  if (lesson.question) guesses.innerHTML = drawGuesses({ ...lesson, unit: lesson.unit ?? '' }, guesses.clientWidth);
  find('curve').hidden = !hasCurve(lesson.points);
  if (hasCurve(lesson.points)) points.innerHTML = drawPoints(lesson.points, points.clientWidth);
}

/** @param {RoomView} view */
function describeCounts({ lesson, people }) {
  const all = people.length;
  if (all === 0) return 'Nobody has joined yet.';
  return `${lesson.question ? `${lesson.guessed} of ${all} have guessed, ` : ''}${lesson.checked} of ${all} have measured.`;
}

/** @param {RoomView} view */
function describeProgress({ lesson, lessons, people }) {
  const { done } = lessons[lesson.number - 1];
  const stuck = people.filter(({ state }) => state === 'stuck').length;
  return `${people.length} in the room, ${done} have finished this lesson${stuck > 0 ? `, ${stuck} may need a hand` : ''}.`;
}

/** @param {string} words @param {PersonView[]} people @returns {HTMLElement[]} */
function createGroup(words, people) {
  if (people.length === 0) return [];
  const heading = document.createElement('h4');
  heading.textContent = `${words}: ${people.length}`;
  const list = document.createElement('ul');
  list.className = people[0].state;
  list.append(...people.map(createPerson));
  return [heading, list];
}

/** @param {PersonView} person */
function createPerson({ name, why, done }) {
  const item = document.createElement('li');
  item.textContent = areNamesHidden() ? 'A learner' : name;
  const more = document.createElement('small');
  more.textContent = why || `${done} done`;
  item.append(' ', more);
  return item;
}

function areNamesHidden() {
  return sessionStorage.getItem('names') === 'hidden';
}

/** @param {string} id @param {string} text */
function setText(id, text) {
  if (find(id).textContent !== text) find(id).textContent = text;
}

/** @param {string} path @param {object} [body] */
async function send(path, body) {
  const response = await fetch(path, {
    method: 'POST', headers: { ...authorise(), 'Content-Type': 'application/json' }, body: JSON.stringify(body ?? {}),
  }).catch(() => undefined);
  if (!response?.ok) setText('trouble', 'The class did not take that. Try again.');
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
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = 'class.html';
  link.click();
  URL.revokeObjectURL(link.href);
}

button('reveal').addEventListener('click', () => send('/class/reveal'));
button('previous').addEventListener('click', () => move(-1));
button('next').addEventListener('click', () => move(1));
button('save').addEventListener('click', () => save().catch(() => setText('trouble', 'The result could not be saved.')));
button('names').addEventListener('click', () => {
  sessionStorage.setItem('names', areNamesHidden() ? 'shown' : 'hidden');
  showNamesButton();
  if (room) show(room);
});

function showNamesButton() {
  button('names').textContent = areNamesHidden() ? 'Show the names' : 'Hide the names';
}
showNamesButton();
new ResizeObserver(draw).observe(find('guesses'));

followClass('/class/events', {
  token,
  onData: show,
  onTrouble: (status) => setText('trouble', status === 401
    ? 'This page needs the token of the class. Open the link that pool-lab class printed.'
    : 'The class is away. This page goes on when it is back.'),
});
