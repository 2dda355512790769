/**
 * Results that version 0.1 wrote, in the words of today: its `runs` of a variant are now `repeats`, its remedy `cap` is now
 * `limit`, and a replicator's `tunnel` and `opsPerWrite` are now `mode` and `opsPerBatch`.
 *
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
  const { name, settings, measured } = rest;
  if (variant !== Object(variant)) return variant;
  return {
    ...rest,
    ...(runs !== undefined && { repeats: runs }),
    ...(settings?.remedy === 'cap' && {
      name: String(name).replace(/^cap of /, 'limit of '), settings: { ...settings, remedy: 'limit' },
    }),
    ...(settings?.tunnel && {
      settings: { ...settings, mode: settings.tunnel },
      ...(measured && { measured: { ...measured, opsPerBatch: measured.opsPerWrite } }),
    }),
  };
}
