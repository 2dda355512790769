/** The ranges that a reader drags in one part of the page, and the switches. */
export class Handles {
  /** @type {Record<string, HTMLInputElement | HTMLSelectElement>} */
  #inputs;

  /** @param {HTMLElement} root @param {(name: string) => void} onInput */
  constructor(root, onInput) {
    const inputs = /** @type {(HTMLInputElement | HTMLSelectElement)[]} */ ([
      ...root.querySelectorAll('.handle :is(input, select[name])'),
    ]);
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
        .filter(([, input]) => input.value !== firstValueOf(input))
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

/** @param {HTMLInputElement | HTMLSelectElement} input */
function firstValueOf(input) {
  return input instanceof HTMLSelectElement ? input.options[0].value : input.defaultValue;
}

/** @param {HTMLInputElement | HTMLSelectElement} input */
function showValue(input) {
  if (input instanceof HTMLSelectElement) return;
  const { unit = '', zero } = input.dataset;
  const text = input.value === '0' && zero ? zero : `${input.value} ${unit}`.trim();
  const output = /** @type {HTMLElement} */ (input.parentElement?.querySelector('output'));
  output.textContent = text;
  input.setAttribute('aria-valuetext', text);
}
