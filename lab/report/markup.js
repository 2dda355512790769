/** HTML text; only `html`, `trust` and `embedJson` create it. */
class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** @typedef {InstanceType<typeof Markup>} Html */

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * Template tag that escapes every value except Markup, so that no part of a result can become markup. Lists are joined;
 * null, undefined and false become nothing.
 * @param {TemplateStringsArray} strings
 * @param {...unknown} values
 */
export function html(strings, ...values) {
  return new Markup(String.raw({ raw: strings }, ...values.map(toHtml)));
}

/** Markup from our own files, which is not escaped. @param {string} text */
export function trust(text) {
  return new Markup(text);
}

/**
 * JSON in a script element that does not run. The HTML parser reacts to `</script>` and `<!--`, and both need a `<`.
 * @param {unknown} value
 * @param {string} [id] of the element
 */
export function embedJson(value, id) {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  return new Markup(`<script type="application/json"${id ? ` id="${id}"` : ''}>${json}</script>`);
}

/** @param {unknown} value @returns {string} */
function toHtml(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(toHtml).join('');
  if (value === null || value === undefined || value === false) return '';
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}
