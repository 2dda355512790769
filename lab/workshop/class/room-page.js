import { countOf } from 'mongodb-pool-page/universal/quantity.js';
import { readChartScripts, readStyle, renderDocument } from '../../report/document.js';
import { html } from '../../report/markup.js';
import { listPresent, publicName } from './class-roll.js';
import { MAX_SCORE } from '../judge-task.js';
import { scoreLearner } from './class-view.js';
import { describeLesson } from './lesson-view.js';

/** @import { ClassLesson, ClassState, Learner } from './class-roll.js' */
/** @import { LessonView } from './lesson-view.js' */
/** @import { Html } from '../../report/markup.js' */

/**
 * The room's result as one HTML file that needs no network, and runs only the script of its charts.
 * @param {ClassState} state
 * @param {ClassLesson[]} lessons
 * @returns {string}
 */
export function renderRoom(state, lessons) {
  const learners = listPresent(state);
  const { scripts, policy } = readChartScripts(new URL('browser/class-charts.js', import.meta.url));
  const isTried = (/** @type {string} */ name) => learners.some(({ work }) => work[name]);
  const views = lessons
    .filter(({ name }) => isTried(name))
    .map(({ name }) => describeLesson(state, lessons, name, true));
  const tasks = lessons.flatMap(listLabels).filter(({ name }) => isTried(name));
  return renderPage(
    'What the room found out',
    html` <p class="question">
        ${countOf(learners.length, 'learner', 'learners')}, ${state.startedAt.slice(0, 10)}. Circles are guesses, dots
        are measurements, and the line is the answer.
      </p>
      ${views.map(renderLesson)}
      <section>
        <h3>Who finished what</h3>
        <p class="hint">
          The points are for guesses: ${MAX_SCORE} within 10 % of the answer, 2 within 1.5 times, 1 within 3 times too
          high or too low. The answer is calculated where the question says all that is needed. Elsewhere it is the
          median of what the room measured.
        </p>
        <div class="scroll" role="region" aria-label="Who finished what" tabindex="0">
          <table>
            <thead>
              <tr>
                <th scope="col" class="text">Name</th>
                ${tasks.map(({ label }) => html`<th scope="col">${label}</th>`)}
                <th scope="col">Points</th>
              </tr>
            </thead>
            <tbody>
              ${learners.map((learner) => renderLearner(learner, tasks, views))}
            </tbody>
          </table>
        </div>
      </section>
      ${scripts}`,
    policy,
  );
}

/** @param {Learner} learner @param {{ name: string }[]} tasks @param {LessonView[]} views */
function renderLearner(learner, tasks, views) {
  const scores = new Map(scoreLearner(learner, views).map((score, index) => [views[index].name, score]));
  const given = [...scores.values()].filter((score) => score !== undefined);
  return html`<tr>
    <th scope="row">${publicName(learner)}</th>
    ${tasks.map(({ name }) => {
      const done = learner.work[name]?.verdict ? 'done' : undefined;
      return html`<td>${[done, scores.get(name)].filter((part) => part !== undefined).join(', ')}</td>`;
    })}
    <td>${given.length > 0 ? given.reduce((total, score) => total + score, 0) : ''}</td>
  </tr>`;
}

/** The columns of a lesson: `3`, `3 twist`, `3 puzzle`, `case-1`. @param {ClassLesson} lesson @param {number} index */
function listLabels({ name: lesson, tasks }, index) {
  return tasks.map((name) => ({
    name,
    label: name.startsWith(lesson) ? `${index + 1}${name.slice(lesson.length).replace('/', ' ')}` : name,
  }));
}

/** @param {LessonView} view */
function renderLesson(view) {
  const { number, title, question, why, guessChart } = view;
  return html`<section>
    <p class="eyebrow">Lesson ${number}</p>
    <h3>${title}</h3>
    ${question && html`<p class="question">${question}</p>`}
    <div class="charts" data-lesson="${JSON.stringify({ ...view, replay: undefined })}">
      ${question && renderChart('guesses', view.guessChart.words)}
      ${view.curve && renderChart('curve', view.curve.words)}
    </div>
    <p class="counts">
      ${view.guessed} guessed${view.checked > 0 && `, ${view.checked} measured`}. ${question && guessChart.found}
    </p>
    ${why && html`<p class="why">${why}</p>`}
  </section>`;
}

/** @param {'guesses' | 'curve'} kind @param {string} words */
function renderChart(kind, words) {
  return html`<div class="picture"><canvas data-chart="${kind}" role="img" aria-label="${words}"></canvas></div>`;
}

/**
 * @param {string} title
 * @param {Html} content
 * @param {string[]} [policy] what it may do besides being shown
 * @returns {string} one file
 */
export function renderPage(title, content, policy) {
  return renderDocument({
    title,
    style: readStyle(new URL('browser/class.css', import.meta.url)),
    policy,
    kind: 'result',
    body: html`<header><h1>MongoDB Pool Lab</h1></header>
      <main>
        <h2>${title}</h2>
        ${content}
      </main>`,
  });
}
