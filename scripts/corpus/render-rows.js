/** A table in Markdown. @param {string[]} headings @param {string[][]} rows */
export function renderRows(headings, rows) {
  return [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
