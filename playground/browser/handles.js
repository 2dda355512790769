/** The ranges that a reader drags in one part of the page. */
export class Handles {
  /** @type {Record<string, HTMLInputElement>} */
  #inputs;

  /** @param {HTMLElement} root @param {(name: string) => void} onInput */
  constructor(root, onInput) {
    const inputs = /** @type {HTMLInputElement[]} */ ([...root.querySelectorAll('.handle input')]);
    for (const input of inputs) {
      input.addEventListener('input', () => {
        showValue(input);
        onInput(input.name);
      });
    }
    this.#inputs = Object.fromEntries(inputs.map((input) => [input.name, input]));
  }

  /** @param {string} name */
  read(name) {
    return Number(this.#inputs[name].value);
  }

  /** Those that were dragged. @returns {Record<string, string>} by name, for a link */
  get changed() {
    return Object.fromEntries(
      Object.entries(this.#inputs)
        .filter(([, { value, defaultValue }]) => value !== defaultValue)
        .map(([name, { value }]) => [name, value]),
    );
  }

  /** @param {Record<string, string>} values from a link; the others stay */
  restore(values) {
    for (const [name, input] of Object.entries(this.#inputs)) {
      if (values[name] !== undefined) input.value = values[name];
      showValue(input);
    }
  }
}

/** @param {HTMLInputElement} input */
function showValue(input) {
  const { unit = '', zero } = input.dataset;
  const text = input.value === '0' && zero ? zero : `${input.value} ${unit}`.trim();
  const output = /** @type {HTMLElement} */ (input.parentElement?.querySelector('output'));
  output.textContent = text;
  input.setAttribute('aria-valuetext', text);
}
