import { pickFilled, pickMain } from './columns.js';
import { renderFigures, renderHeadings } from './figures.js';
import { LOAD_KINDS } from './findings.js';
import { describeMachine } from './machine.js';
import { formatDate, formatSetting } from './name-runs.js';
import { embedJson, html } from './markup.js';

/** @import { Column, LabView, Result, Variant } from './result-types.js' */

const SHOWN_ARRIVALS = 12;

/**
 * Renders the main figures; then, folded, all of them, settings and environment; and the result itself.
 * @param {LabView} lab
 * @param {Result} result
 * @param {string} id
 * @param {unknown[]} [charts] are folded, and the main figures with them
 */
export function renderDetails(lab, result, id, charts = []) {
  const columns = pickMain(lab.columns);
  const all = listAll(lab, result);
  const footnote = lab.footnote?.(result);
  const fileName = `${result.lab}-${result.startedAt.replaceAll(/[^0-9TZ-]/g, '-')}.json`;
  const figures = html`${renderFigures('The figures', columns, result.variants)}
  ${renderHeadings(columns, result.variants)} ${footnote && html`<p class="aside">${footnote}</p>`}`;
  return html`${
      charts.length > 0
        ? html`<details>
            <summary>What was measured, in charts and figures</summary>
            ${charts}${figures}
          </details>`
        : figures
    }
    <p class="aside">
      Started on ${formatDate(result.startedAt)}. ${lab.loadKind && LOAD_KINDS[lab.loadKind]} ${describeMachine(result)}
    </p>
    ${
      all &&
      html`<details>
        <summary>All columns, every repeat, and when its requests arrived</summary>
        ${renderFigures('All figures', ...all)} ${renderHeadings(...all)}
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
 * All of the lab's columns. Where a variant was repeated, each repeat follows it.
 * @param {LabView} lab
 * @param {Result} result
 * @returns {[Column[], Variant[]] | null} null if that is no more than the main columns
 */
function listAll({ columns }, { variants }) {
  const rows = variants.flatMap((variant) => {
    const repeats = (variant.repeats ?? []).map(({ measured, arrivalsMs }, index) => ({
      variant: { ...variant, measured, repeats: undefined },
      repeat: String(index + 1),
      arrivals: listArrivals(arrivalsMs),
    }));
    return repeats.length === 1 ? repeats : [{ variant, repeat: 'all', arrivals: null }, ...repeats];
  });
  const find = (/** @type {Variant} */ variant) => rows.find((row) => row.variant === variant);
  const [key, ...rest] = columns;
  /** @type {Column[]} */
  const all = [
    key,
    ...(rows.length > variants.length
      ? [{ heading: 'repeat', value: (/** @type {Variant} */ variant) => find(variant)?.repeat }]
      : []),
    ...rest,
    { heading: 'arrivals', unit: 'ms', value: (variant) => find(variant)?.arrivals },
  ];
  const shown = rows.map(({ variant }) => variant);
  const isMore = pickFilled(all, shown).length > pickFilled(pickMain(columns), variants).length;
  return isMore ? [all, shown] : null;
}

/** @param {number[]} [arrivalsMs] */
function listArrivals(arrivalsMs) {
  if (!arrivalsMs?.length) return null;
  const text = arrivalsMs.slice(0, SHOWN_ARRIVALS).map(Math.round).join(', ');
  return arrivalsMs.length > SHOWN_ARRIVALS ? `${text} … ${arrivalsMs.length} in total` : text;
}
