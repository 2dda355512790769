import { DASH, formatCell, groupColumns, isText, pickFilled } from './columns.js';
import { html } from './markup.js';

/** @import { Column } from './result-types.js' */
/** @import { ChartData } from './chart-data.js' */

/**
 * @template Row
 * @param {string} caption
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 */
export function renderFigures(caption, columns, rows) {
  const groups = groupColumns(pickFilled(columns, rows));
  const isGrouped = groups.some(({ heading }) => heading);
  const cells = groups.flatMap((group) =>
    group.columns.map((column, index) => ({
      column,
      heading: group.headings[index],
      looks: `${isText(column, rows) ? 'text' : ''} ${group.heading && index === 0 ? 'first' : ''}`.trim(),
    })),
  );
  return wrapTable(
    caption,
    html`<thead>
        ${
          isGrouped &&
          html`<tr>
            ${groups.map(({ heading, columns: { length } }) =>
              heading
                ? html`<th scope="colgroup" colspan="${length}" class="first">${heading}</th>`
                : html`<td colspan="${length}"></td>`,
            )}
          </tr>`
        }
        <tr>
          ${cells.map(({ heading, looks }) => html`<th scope="col" class="${looks}">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html` <tr>
              ${cells.map(({ column, looks }, index) =>
                index === 0
                  ? html`<th scope="row" class="${looks}">${formatCell(column, row)}</th>`
                  : html`<td class="${looks}">${formatCell(column, row)}</td>`,
              )}
            </tr>`,
        )}
      </tbody>`,
  );
}

/** @param {ChartData} chart */
export function renderChartFigures({ title, xTitle, categories, series }) {
  return wrapTable(
    `${title}, in figures`,
    html`<thead>
        <tr>
          <th scope="col">${xTitle}</th>
          ${series.map(({ label }) => html`<th scope="col">${label}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${categories.map(
          (lines, index) =>
            html` <tr>
              <th scope="row">${lines.join(', ')}</th>
              ${series.map(({ texts }) => html`<td>${texts[index] || DASH}</td>`)}
            </tr>`,
        )}
      </tbody>`,
  );
}

/**
 * Explains the table's short headings. One that means something else in another group is explained again, with that
 * group.
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 */
export function renderHeadings(columns, rows) {
  /** @type {Map<string, string>} */
  const abouts = new Map();
  for (const { group = '', heading, about } of pickFilled(columns, rows)) {
    if (!about) continue;
    const isOther = (abouts.get(heading) ?? about) !== about;
    abouts.set(isOther ? `${group} ${heading}` : heading, about);
  }
  return (
    abouts.size > 0 &&
    html`<p class="aside">${[...abouts].map(([heading, about]) => html`<span><b>${heading}</b> ${about}</span> `)}</p>`
  );
}

/**
 * A wide table scrolls in a box, which the keyboard must be able to reach.
 * @param {string} caption
 * @param {unknown} content
 */
function wrapTable(caption, content) {
  return html`<div class="scroll" role="group" tabindex="0" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      ${content}
    </table>
  </div>`;
}
