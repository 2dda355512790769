import { readFileSync } from 'node:fs';
import { renderDocument } from '../report/document.js';
import { html, trust } from '../report/markup.js';
import { drawGuesses, drawPoints, hasCurve } from './browser/dot-charts.js';
import { describeLesson } from './class-view.js';

/** @import { ClassLesson, ClassState } from './class-roll.js' */
/** @typedef {import('../report/markup.js').Html} Html */

/** Charts of the file are as wide as this, in px; they shrink on a phone. */
const CHART_WIDTH = 640;

/**
 * The room's result as one HTML file that needs no network and runs nothing.
 * @param {ClassState} state
 * @param {ClassLesson[]} lessons
 * @returns {string}
 */
export function renderRoom(state, lessons) {
  const { learners, startedAt } = state;
  const tried = lessons.filter(({ name }) => learners.some(({ work }) => work[name]));
  return renderPage('What the room found out', html`
<p class="question">${learners.length} learners, ${startedAt.slice(0, 10)}. Blue is what was guessed, orange what was measured.</p>
${tried.map((lesson) => renderLesson(state, lessons, lesson))}
<section><h3>Who finished what</h3>
<div class="scroll" role="region" aria-label="Who finished what" tabindex="0"><table>
<thead><tr><th scope="col" class="text">Name</th>${tried.map((lesson) => html`<th scope="col">${lessons.indexOf(lesson) + 1}</th>`)}</tr></thead>
<tbody>${learners.map(({ name, work }) => html`<tr><th scope="row">${name}</th>${tried.map((lesson) => html`<td>${
    work[lesson.name]?.verdict ? 'done' : ''}</td>`)}</tr>`)}</tbody>
</table></div></section>`);
}

/** @param {ClassState} state @param {ClassLesson[]} lessons @param {ClassLesson} lesson */
function renderLesson(state, lessons, { name, title, question, unit = '' }) {
  const view = describeLesson(state, lessons, name, true);
  return html`<section>
<p class="eyebrow">Lesson ${view.number}</p>
<h3>${title}</h3>
${question && html`<p class="question">${question}</p>`}
<div class="charts">
${question && html`<div class="picture">${trust(drawGuesses({ ...view, unit }, CHART_WIDTH))}</div>`}
${hasCurve(view.points) && html`<div class="picture">${trust(drawPoints(view.points, CHART_WIDTH))}</div>`}
</div>
<p class="counts">${view.guessed} guessed, ${view.checked} measured.</p>
</section>`;
}

/**
 * @param {string} title
 * @param {Html} content
 * @returns {string} one file
 */
export function renderPage(title, content) {
  const style = ['mongodb-pool-monitor/universal/look.css', './browser/class.css']
    .map((file) => readFileSync(new URL(import.meta.resolve(file)), 'utf8')).join('');
  return renderDocument({
    title, style, kind: 'result',
    body: html`<header><h1>MongoDB Pool Lab</h1></header>
<main>
<h2>${title}</h2>${content}
</main>`,
  });
}
