import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { chooseSteps } from './browser/chart-tools.js';
import { DASH } from './columns.js';
import { html } from './markup.js';

/** @import { Finding } from './result-types.js' */

/** Ratios that get a grid line, if there is room. */
const POWERS = [-3, -2, -1, 0, 1, 2, 3].map((exponent) => 10 ** exponent);
/** Share of the width on both sides that stays free, so that no dot at the edge is cut off. */
const MARGIN = 0.06;

/**
 * One card for each finding: what was compared, the ratio in figures, and the same as a dot on a line through 1, with
 * the spread of the repeats. All cards share a logarithmic axis, on which twice and half are equally far from 1.
 * @param {string} id of the heading
 * @param {Finding[]} findings
 */
export function renderFindingCards(id, findings) {
  const axis = createAxis(findings);
  const isPublished = findings.some(({ published }) => typeof published === 'number');
  return html`<section class="findings" aria-labelledby="${id}">
    <h3 id="${id}">Findings, as ratios <span>At 1 both are equal.</span></h3>
    <ul class="legend dots">
      <li class="measured-6">here</li>
      ${findings.some(({ spread }) => spread) && html`<li class="spread">all repeats</li>`}
      ${isPublished && html`<li class="published">published</li>`}
    </ul>
    <ol>
      ${findings.map((finding) => renderCard(finding, axis))}
    </ol>
    <svg class="axis" aria-hidden="true">
      ${axis.ticks.map((ratio) => html`<text x="${axis.place(ratio)}" y="1em">${formatTick(ratio)}</text>`)}
    </svg>
  </section>`;
}

/** @param {Finding} finding @param {Axis} axis */
function renderCard({ claim, measured, published, peer, spread, reason }, axis) {
  return html`<li>
    <h4>${claim}</h4>
    <p>
      <b>${formatRatio(measured)}</b>
      ${spread && html`<span>${spread.map(formatRatio).join(' to ')}</span>`}
      ${typeof published === 'number' && html`<span>published ${formatRatio(published)}</span>`}
      ${peer && html`<span>${peer.label} ${formatRatio(peer.ratio)}</span>`}
    </p>
    <svg aria-hidden="true">
      ${axis.ticks.map(
        (ratio) =>
          html`<line class="${ratio === 1 && 'one'}" x1="${axis.place(ratio)}" x2="${axis.place(ratio)}" y2="100%" />`,
      )}
      ${
        spread?.every(isShown) &&
        html`<line class="spread" x1="${axis.place(spread[0])}" x2="${axis.place(spread[1])}" y1="50%" y2="50%" />`
      }
      ${isShown(published) && html`<circle class="published" cx="${axis.place(published)}" cy="50%" r="6" />`}
      ${isShown(measured) && html`<circle cx="${axis.place(measured)}" cy="50%" r="6" />`}
    </svg>
    ${reason && html`<p class="reason">${reason}</p>`}
  </li>`;
}

/**
 * @typedef {object} Axis
 * @property {number[]} ticks ratios
 * @property {(ratio: number) => string} place of a ratio, as a share of the width
 */

/** @param {Finding[]} findings @returns {Axis} */
function createAxis(findings) {
  const ratios = findings.flatMap(({ measured, published, spread = [] }) =>
    [measured, published, ...spread].filter(isShown),
  );
  const [low, high] = [Math.min(0.8, ...ratios), Math.max(1.25, ...ratios)];
  const ticks = POWERS.flatMap((power) => chooseSteps(low, high).map((step) => step * power));
  return {
    ticks: ticks.filter((tick) => tick >= low && tick <= high),
    place(ratio) {
      const share = Math.log(ratio / low) / Math.log(high / low);
      return `${formatNumber(100 * (MARGIN + (1 - 2 * MARGIN) * share), 1)}%`;
    },
  };
}

/** A logarithmic axis has no zero. @param {number | null | undefined} ratio @returns {ratio is number} */
function isShown(ratio) {
  return typeof ratio === 'number' && ratio > 0 && Number.isFinite(ratio);
}

/** @param {number | null | undefined} ratio */
function formatRatio(ratio) {
  return typeof ratio === 'number' ? formatNumber(ratio, 2) : DASH;
}

/** @param {number} ratio */
function formatTick(ratio) {
  return String(Number(ratio.toPrecision(1)));
}
