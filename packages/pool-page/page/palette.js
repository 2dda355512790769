const NAMES = /** @type {const} */ ([
  'paper',
  'ink',
  'muted',
  'rule',
  'road',
  'hill',
  'tube',
  'glass',
  'measured-1',
  'measured-2',
  'measured-3',
  'measured-4',
  'measured-5',
  'predicted',
  'published',
  'highlight',
]);

/** @typedef {Record<typeof NAMES[number], string>} Palette colours by their CSS names */

/**
 * Reads the colours of the style sheets, now and whenever the theme changes.
 * @param {(palette: Palette) => void} use
 */
export function watchPalette(use) {
  const read = () => {
    const style = getComputedStyle(document.documentElement);
    const colors = NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
    use(/** @type {Palette} */ (Object.fromEntries(colors)));
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', read);
  read();
}
