import { describeChart, layOutChart, layOutComparison } from './chart-data.js';
import { listFindings, listNotes, sumUp } from './findings.js';
import { compareResults, describeComparison } from './compare-results.js';
import { pickMain } from './columns.js';
import { nameRuns } from './name-runs.js';
import { renderDetails } from './details.js';
import { renderFindingCards } from './finding-cards.js';
import { renderChartFigures, renderFigures, renderHeadings } from './figures.js';
import { embedJson, html } from './markup.js';

/** @import { ChartSpec, Column, LabView, Result, Variant } from './result-types.js' */
/** @import { ChartData } from './chart-data.js' */
/** @import { NamedRun } from './name-runs.js' */

/**
 * Renders one lab: its question, takeaway, picture and how to read it; then figures and details. Several results share
 * the charts and one table; the details of each are folded.
 * @param {LabView} lab
 * @param {Result[]} results at least one
 * @param {string} id
 */
export function renderLab(lab, results, id) {
  const runs = nameRuns(results);
  const isSingle = runs.length === 1;
  const charts = layOutCharts(lab, (spec) =>
    isSingle ? layOutChart(spec, results[0]) : layOutComparison(spec, runs),
  ).map(renderChart);
  const findings = isSingle && renderFindings(lab, results[0], `${id}-findings`);
  const isFolded = lab.picture === 'findings' && findings;
  const [picture, ...others] = isFolded ? [findings] : [...charts, findings];
  return html`<section class="lab" aria-labelledby="${id}">
    <div class="story">
      <div class="words">
        <h2 id="${id}">${lab.title}</h2>
        <p class="question">${lab.question}</p>
        ${isSingle ? renderTakeaway(lab, results[0]) : renderTakeaways(lab, runs)}
      </div>
      ${picture}
      <div class="how-to-read">
        <h3>How to read it</h3>
        <ul>
          ${lab.howToRead.map((sentence) => html`<li>${sentence}</li>`)}
        </ul>
      </div>
    </div>
    ${
      lab.source &&
      html`<p class="aside">
        First published in ${renderLink(lab.source.url, lab.source.title)}.
        ${lab.source.foundElsewhere?.map(({ fact, where }) => html`Found ${renderLink(where, 'elsewhere')}: ${fact}. `)}
      </p>`
    }
    ${others}
    ${
      isSingle
        ? renderDetails(lab, results[0], id, isFolded ? charts : [])
        : [
            renderFigures('All runs, side by side', ...compareFigures(lab, runs)),
            renderHeadings(
              pickMain(lab.columns),
              results.flatMap(({ variants }) => variants),
            ),
            runs.map((run) => renderRun(lab, run, `${id}-${run.name}`)),
          ]
    }
  </section>`;
}

/** @param {string} url @param {string} text */
function renderLink(url, text) {
  return html`<a href="${url}" rel="noreferrer">${text}</a>`;
}

/** @param {LabView} lab @param {NamedRun} run @param {string} id */
function renderRun(lab, { name, label, result }, id) {
  return html`<details class="run">
    <summary>Details of run ${name} <span>${label}</span></summary>
    ${renderFindings(lab, result, `${id}-findings`)} ${renderDetails(lab, result, id)}
  </details>`;
}

/** @param {LabView} lab @param {Result} result */
function renderTakeaway(lab, result) {
  const notes = listNotes(result);
  return html`<p class="takeaway">${sumUp(lab, result) || 'Nothing was measured.'}</p>
    ${
      notes.length > 0 &&
      html`<ul class="notes">
        ${notes.map((note) => html`<li>${note}</li>`)}
      </ul>`
    }`;
}

/** @param {LabView} lab @param {Result} result @param {string} id */
function renderFindings(lab, result, id) {
  const findings = listFindings(lab, result);
  return findings.length > 0 && renderFindingCards(id, findings);
}

/** @param {LabView} lab @param {NamedRun[]} runs */
function renderTakeaways(lab, runs) {
  const [first, ...others] = runs;
  const changes = others
    .map(({ name, result }) =>
      describeComparison(compareResults(first.result, result), `run ${first.name}`, `run ${name}`),
    )
    .filter(Boolean);
  return html`${changes.map((change) => html`<p class="takeaway">${change}</p>`)}
    <dl class="runs">
      ${runs.map(
        ({ name, label, result }) =>
          html` <div>
            <dt>Run ${name} <span>${label}</span></dt>
            <dd>${renderTakeaway(lab, result)}</dd>
          </div>`,
      )}
    </dl>`;
}

/**
 * Lays out the lab's charts, without the empty ones.
 * @param {LabView} lab
 * @param {(spec: ChartSpec) => ChartData} layOut
 */
function layOutCharts({ charts }, layOut) {
  return charts.map(layOut).filter(({ series }) => series.length > 0);
}

/** @param {ChartData} chart */
function renderChart(chart) {
  return html`<figure class="chart">
    <figcaption>
      <h3>${chart.title} <span>${chart.yTitle}</span></h3>
      <ul class="legend ${chart.kind}s">
        ${chart.series.map(({ label, look, dash }) => html`<li class="${look} dash-${dash}">${label}</li>`)}
      </ul>
    </figcaption>
    <div class="canvas"><canvas role="img" aria-label="${describeChart(chart)}"></canvas></div>
    ${embedJson(chart)}
    <details>
      <summary>The chart in figures</summary>
      ${renderChartFigures(chart)}
    </details>
  </figure>`;
}

/**
 * The lab's main columns for the variants of all runs, with equal variants next to each other.
 * @param {LabView} lab
 * @param {NamedRun[]} runs
 * @returns {[Column[], Variant[]]}
 */
function compareFigures({ columns }, runs) {
  const [key, ...rest] = pickMain(columns);
  const names = new Map(runs.flatMap(({ name, result: { variants } }) => variants.map((variant) => [variant, name])));
  /** @type {Column} */
  const ofRun = { heading: 'run', value: (variant) => names.get(variant) };
  const shown = [...names.keys()];
  return [
    [key, ofRun, ...rest],
    [...new Set(shown.map(({ name }) => name))].flatMap((each) => shown.filter(({ name }) => name === each)),
  ];
}
