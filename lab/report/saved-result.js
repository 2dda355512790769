import { listOf, map, mapOf, number, orNone, shape, text } from '../base/shape.js';

const LEFT_OUT =
  'This result also has variants that the lab no longer measures. They are left out; the file still has their figures.';

const figures = orNone(map);

const samples = shape({ services: mapOf(listOf(number)), overheadsMs: listOf(number) });

const checkShape = shape({
  startedAt: text,
  environment: map,
  settings: map,
  warnings: orNone(listOf(text)),
  variants: listOf(
    shape({
      name: text,
      settings: map,
      error: orNone(text),
      measured: figures,
      predicted: figures,
      exact: figures,
      published: figures,
      machineShare: orNone(number),
      repeats: orNone(listOf(shape({ measured: map, arrivalsMs: orNone(listOf(number)), samples: orNone(samples) }))),
    }),
  ),
});

/**
 * Checks the shape that all results share. A lab's own figures may still be missing.
 * @param {unknown} value
 * @returns {asserts value is import('./result-types.js').Result}
 * @throws {Error} naming the first part that is wrong, and what it must be
 */
export function checkResult(value) {
  checkShape(value, 'it');
}

/**
 * Converts a result of version 0.1 to the names of today: its `runs` of a variant are now `repeats`, its remedy `cap`
 * is now `limit`, and a replicator's `tunnel` and `opsPerWrite` are now `mode` and `opsPerBatch`. Until version 0.3,
 * its `merge` was true or false. Variants that a lab once had are left out, with a warning.
 *
 * @param {unknown} json of any version, not checked yet
 * @returns {unknown}
 */
export function upgradeResult(json) {
  const { lab, variants, warnings } = Object(json);
  if (!Array.isArray(variants)) return json;
  const shown = variants.filter((variant) => !isGone(lab, Object(variant?.settings)));
  return {
    ...Object(json),
    variants: shown.map(upgradeVariant),
    ...(shown.length < variants.length && { warnings: [warnings ?? [], LEFT_OUT].flat() }),
  };
}

/** @param {unknown} lab @param {Record<string, unknown>} settings of a variant @returns {boolean} */
function isGone(lab, { cause, mix }) {
  return lab === 'saturation' ? cause === 'hotDocument' || cause === 'tickets' : lab === 'replication' && Boolean(mix);
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
      name: String(name).replace(/^cap of /, 'limit of '),
      settings: { ...settings, remedy: 'limit' },
    }),
    ...((settings?.tunnel || typeof settings?.merge === 'boolean') && {
      settings: {
        ...settings,
        ...(settings.tunnel && { mode: settings.tunnel }),
        ...(typeof settings.merge === 'boolean' && { merge: settings.merge ? 'all' : 'none' }),
      },
    }),
    ...(settings?.tunnel && measured && { measured: { ...measured, opsPerBatch: measured.opsPerWrite } }),
  };
}
