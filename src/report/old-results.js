/**
 * Results that version 0.1 wrote, in the words of today: its `runs` of a variant are now `repeats`, and its remedy `cap`
 * is now `limit`.
 * @param {unknown} json of any version, not checked yet
 * @returns {unknown}
 */
export function upgradeResult(json) {
  const { variants } = Object(json);
  return Array.isArray(variants) ? { ...Object(json), variants: variants.map(upgradeVariant) } : json;
}

/** @param {unknown} variant */
function upgradeVariant(variant) {
  const { runs, ...rest } = Object(variant);
  const { name, settings } = rest;
  if (variant !== Object(variant)) return variant;
  return {
    ...rest,
    ...(runs !== undefined && { repeats: runs }),
    ...(settings?.remedy === 'cap' && {
      name: String(name).replace(/^cap of /, 'limit of '), settings: { ...settings, remedy: 'limit' },
    }),
  };
}
