import { marked } from 'marked';
import { html, trust } from '../../report/markup.js';
import { renderPage } from './room-page.js';

/** @import { ClassLesson } from './class-roll.js' */

/**
 * A sheet for learners, to print: what to type, and room for guesses and measurements.
 * @param {ClassLesson[]} lessons
 * @param {string} card what to take home, as Markdown
 * @returns {string} one HTML file
 */
export function renderSheet(lessons, card) {
  return renderPage(
    'Guess, then measure',
    html` <p class="question">A pool is a tunnel. A connection is a lane, a slow query a bus, a fast one a Ferrari.</p>
      <div class="scroll sheet" role="region" aria-label="Lessons" tabindex="0">
        <table>
          <thead>
            <tr>
              <th scope="col">Lesson</th>
              <th scope="col">Question</th>
              <th scope="col" class="blank">My guess</th>
              <th scope="col" class="blank">Measured</th>
            </tr>
          </thead>
          <tbody>
            ${lessons.map(
              ({ title, question, unit, asks }, index) =>
                html`<tr>
                  <th scope="row">${index + 1}. ${title}</th>
                  <td>${question ?? asks?.question}</td>
                  <td class="blank">${unit ?? asks?.unit}</td>
                  <td class="blank"></td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <section>
        <h3>What to type</h3>
        <div class="scroll sheet" role="region" aria-label="Commands" tabindex="0">
          <table>
            <tbody>
              ${COMMANDS.map(
                ([command, about]) =>
                  html`<tr>
                    <th scope="row"><code>${command}</code></th>
                    <td>${about}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>
      </section>
      <section>
        <h3>Three numbers to find out at work</h3>
        <p>
          The size of the pool: ______ · The p99 of the wait for a connection: ______ ms · Instances of the app: ______
        </p>
      </section>
      <section>${trust(marked.parse(card.replace('# ', '### '), { async: false }))}</section>`,
  );
}

const COMMANDS = [
  ['npx pool-lab workshop join LINK --name ME', 'join the class'],
  ['npx pool-lab workshop 3', 'show lesson 3'],
  ['npx pool-lab workshop guess 3 N', 'record a guess, before you measure'],
  ['npx pool-lab workshop watch 3', 'leave it running: it checks each new result'],
  ['npx pool-lab workshop hint 3', 'three hints, the last one is the answer'],
  ['npx pool-lab workshop puzzle 3', 'the puzzle after every third lesson'],
];
