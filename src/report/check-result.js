import { listOf, map, mapOf, number, orNone, shape, text } from '../shape.js';

const figures = orNone(map);

const samples = shape({ services: mapOf(listOf(number)), overheadsMs: listOf(number) });

const checkShape = shape({
  startedAt: text,
  environment: map,
  settings: map,
  warnings: orNone(listOf(text)),
  variants: listOf(shape({
    name: text,
    settings: map,
    error: orNone(text),
    measured: figures,
    predicted: figures,
    exact: figures,
    published: figures,
    repeats: orNone(listOf(shape({ measured: map, arrivalsMs: orNone(listOf(number)), samples: orNone(samples) }))),
  })),
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
