import { renderFigures, renderHeadings } from './figures.js';
import { LOAD_KINDS } from './findings.js';
import { formatDate, formatSetting } from './name-runs.js';
import { embedJson, html } from './markup.js';

/** @import { Column, LabView, Result, Variant } from './result-types.js' */

const SHOWN_ARRIVALS = 12;

/**
 * Renders the figures, each repeat, settings, environment, and the result itself.
 * @param {LabView} lab
 * @param {Result} result
 * @param {string} id
 */
export function renderDetails(lab, result, id) {
  const repeats = repeatFigures(lab, result);
  const fileName = `${result.lab}-${result.startedAt.replaceAll(/[^0-9TZ-]/g, '-')}.json`;
  return html`${renderFigures('The figures', lab.columns, result.variants)}
    ${renderHeadings(lab.columns, result.variants)}
    <p class="aside">Started on ${formatDate(result.startedAt)}. ${lab.loadKind && LOAD_KINDS[lab.loadKind]}</p>
    ${
      repeats &&
      html`<details>
        <summary>Every repeat, and when its requests arrived</summary>
        ${renderFigures('Every repeat by itself', ...repeats)}
      </details>`
    }
    <details>
      <summary>Settings and environment</summary>
      <div class="facts">
        ${renderFacts('Settings', result.settings)} ${renderFacts('Environment', result.environment)}
      </div>
    </details>
    <button type="button" data-source="${id}-result" data-file="${fileName}" hidden>Download the result</button>
    ${embedJson(result, `${id}-result`)}`;
}

/** @param {string} heading @param {Record<string, unknown>} facts */
function renderFacts(heading, facts) {
  return html`<div>
    <h4>${heading}</h4>
    <dl>
      ${Object.entries(facts).map(
        ([key, value]) =>
          html`<div>
            <dt>${key}</dt>
            <dd>${formatSetting(value)}</dd>
          </div>`,
      )}
    </dl>
  </div>`;
}

/**
 * The lab's columns for each repeat.
 * @param {LabView} lab
 * @param {Result} result
 * @returns {[Column[], Variant[]] | null} null if the result has no repeats
 */
function repeatFigures({ columns: [key, ...rest] }, { variants }) {
  const repeats = variants.flatMap((variant) =>
    (variant.repeats ?? []).map((repeat, index) => ({
      variant: { ...variant, measured: repeat.measured, repeats: undefined },
      number: index + 1,
      arrivalsMs: repeat.arrivalsMs,
    })),
  );
  if (!repeats.length) return null;
  const find = (/** @type {Variant} */ variant) => repeats.find((repeat) => repeat.variant === variant);
  return [
    [
      key,
      { heading: 'repeat', value: (variant) => find(variant)?.number },
      ...rest,
      { heading: 'arrivals', unit: 'ms', value: (variant) => listArrivals(find(variant)?.arrivalsMs) },
    ],
    repeats.map(({ variant }) => variant),
  ];
}

/** @param {number[]} [arrivalsMs] */
function listArrivals(arrivalsMs) {
  if (!arrivalsMs?.length) return null;
  const text = arrivalsMs.slice(0, SHOWN_ARRIVALS).map(Math.round).join(', ');
  return arrivalsMs.length > SHOWN_ARRIVALS ? `${text} … ${arrivalsMs.length} in total` : text;
}
