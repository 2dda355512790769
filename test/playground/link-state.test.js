import { expect, test } from '@jest/globals';
import { formatLink, parseLink } from '../../playground/browser/link-state.js';

test.each([
  ['', { id: '', isEmbedded: false, values: {} }],
  ['#knee', { id: 'knee', isEmbedded: false, values: {} }],
  ['#knee?embed', { id: 'knee', isEmbedded: true, values: {} }],
  ['#knee?embed&bus=2.5&bet=7', { id: 'knee', isEmbedded: true, values: { bus: '2.5', bet: '7' } }],
])('%s', (hash, state) => {
  expect(parseLink(hash)).toEqual(state);
  expect(formatLink(state)).toBe(hash || '#');
});

test('a link holds any text, as a pasted scenario', () => {
  const values = { yaml: 'config:\n  target: "x?y#z&é"\n', services: '/slow=work:20 /fast=2' };
  expect(parseLink(formatLink({ id: 'sandbox', isEmbedded: false, values })).values).toEqual(values);
});
