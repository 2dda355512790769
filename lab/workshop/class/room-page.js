import { readChartScripts, readStyle, renderDocument } from '../../report/document.js';
import { html } from '../../report/markup.js';
import { listPresent, publicName } from './class-roll.js';
import { describeLesson } from './class-view.js';

/** @import { ClassLesson, ClassState } from './class-roll.js' */
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
  const tried = lessons.filter(({ name }) => learners.some(({ work }) => work[name]));
  return renderPage(
    'What the room found out',
    html` <p class="question">
        ${learners.length} learners, ${state.startedAt.slice(0, 10)}. Circles are guesses, dots are measurements.
      </p>
      ${tried.map((lesson) => renderLesson(state, lessons, lesson))}
      <section>
        <h3>Who finished what</h3>
        <div class="scroll" role="region" aria-label="Who finished what" tabindex="0">
          <table>
            <thead>
              <tr>
                <th scope="col" class="text">Name</th>
                ${tried.map((lesson) => html`<th scope="col">${lessons.indexOf(lesson) + 1}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${learners.map(
                (learner) =>
                  html`<tr>
                    <th scope="row">${publicName(learner)}</th>
                    ${tried.map((lesson) => html`<td>${learner.work[lesson.name]?.verdict ? 'done' : ''}</td>`)}
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>
      </section>
      ${scripts}`,
    policy,
  );
}

/** @param {ClassState} state @param {ClassLesson[]} lessons @param {ClassLesson} lesson */
function renderLesson(state, lessons, { name, title, question }) {
  const view = describeLesson(state, lessons, name, true);
  return html`<section>
    <p class="eyebrow">Lesson ${view.number}</p>
    <h3>${title}</h3>
    ${question && html`<p class="question">${question}</p>`}
    <div class="charts" data-lesson="${JSON.stringify(view)}">
      ${question && renderChart('guesses', view.guessChart.words)}
      ${view.curve && renderChart('curve', view.curve.words)}
    </div>
    <p class="counts">${view.guessed} guessed, ${view.checked} measured.</p>
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
