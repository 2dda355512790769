import { onLookChange } from '../../../report/browser/chart-tools.js';
import { drawCharts } from './class-charts.js';
import { find, followClass, setText, showLegend } from './class-page.js';
import { describeAllowed, describeOwnGuess, readGuess } from './own-guess.js';

/** @import { LessonView } from '../lesson-view.js' */

const code = location.pathname.split('/')[2] ?? '';
const base = `/join/${code}`;
const key = `class ${code.toUpperCase()}`;

/** @type {{ learner: string, name: string } | null} */
let member = JSON.parse(localStorage.getItem(key) ?? 'null');
/** @type {Record<string, number>} by lesson */
const guesses = JSON.parse(localStorage.getItem(`${key} guesses`) ?? '{}');
/** @type {LessonView | undefined} */
let lesson;

const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (find(id));

function show() {
  find('find').hidden = code !== '';
  find('enter').hidden = code === '' || member !== null || !lesson;
  if (!lesson) return;
  const { number, title, question, unit = '', isRevealed, name, why = '', guessChart } = lesson;
  setText('number', `Lesson ${number}${member ? ` · ${member.name}` : ''}`);
  setText('title', title);
  setText('question', question ?? 'This lesson has no guess. Work on it in your terminal.');
  setText('unit', unit);
  const mine = member && question ? guesses[name] : undefined;
  setText('found', [!member && guessChart.found, why].filter(Boolean).join(' '));
  find('guess').hidden = !member || !question || isRevealed;
  find('picture').hidden = find('legend').hidden = !isRevealed || !question;
  if (isRevealed && question) {
    showLegend(lesson, mine);
    drawCharts(document, lesson, { mine });
  }
  if (!member || !question) return;
  if (isRevealed) setText('said', describeOwnGuess(mine, lesson));
  else if (mine !== undefined) setText('said', `Your guess: ${mine} ${unit}. You can change it until the reveal.`);
}

/** @param {string} path @param {object} body @returns {Promise<any>} undefined after a failure, which is shown */
async function send(path, body) {
  try {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    // A class that does not know this page's learner is another one.
    if (response.status === 403 && path === '/reports') forget();
    setText('said', `That did not work: ${answer.detail ?? answer.title}.`);
  } catch {
    setText('said', "Can't reach the class. Try again in a moment.");
  }
  return undefined;
}

function forget() {
  member = null;
  for (const name of Object.keys(guesses)) delete guesses[name];
  for (const stored of [key, `${key} guesses`]) localStorage.removeItem(stored);
  show();
}

/** @param {string} id @param {() => unknown} act */
function onSubmit(id, act) {
  find(id).addEventListener('submit', (event) => {
    event.preventDefault();
    act();
  });
}

onSubmit('find', () => location.assign(`/join/${encodeURIComponent(input('class-code').value.trim().toUpperCase())}`));
onSubmit('enter', async () => {
  const answer = await send('/learners', { name: input('first-name').value, onPhone: true });
  if (!answer) return;
  member = answer;
  localStorage.setItem(key, JSON.stringify(member));
  show();
  if (answer.waits) setText('said', 'The teacher will let you in. You can already guess.');
});
onSubmit('guess', async () => {
  if (!lesson || !member) return;
  const { name } = lesson;
  const value = readGuess(input('value').value, lesson);
  if (value === undefined) {
    setText('said', describeAllowed(lesson));
    input('value').focus();
    return;
  }
  const answer = await send('/reports', { learner: member.learner, lesson: name, guess: value });
  if (!answer) return;
  // The class keeps the guess that came before the measurement.
  if (answer.guess !== null) guesses[name] = answer.guess;
  localStorage.setItem(`${key} guesses`, JSON.stringify(guesses));
  input('value').value = '';
  show();
});

show();
onLookChange(show);
if (code !== '') {
  followClass(`${base}/events`, {
    onData(data) {
      if (lesson && lesson.name !== data.name) setText('said', '');
      lesson = data;
      show();
    },
    onTrouble: (status) =>
      setText(
        'said',
        status === 404
          ? 'There is no class with this code. Check the code on the projector.'
          : "Can't reach the class. This page reconnects by itself.",
      ),
  });
}
