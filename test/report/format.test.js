import { expect, test } from '@jest/globals';
import { formatDate, formatSetting } from '../../src/report/format.js';

test('a date is shown in UTC, and unchanged if it is no date', () => {
  expect(formatDate('2026-11-20T23:30:00+02:00')).toBe('20 November 2026 at 21:30 UTC');
  expect(formatDate('yesterday')).toBe('yesterday');
});

test('settings are shown without brackets, absent ones as a dash', () => {
  expect(formatSetting([1, 3, 10])).toBe('1, 3, 10');
  expect(formatSetting(false)).toBe('false');
  expect(formatSetting(0)).toBe('0');
  expect(formatSetting(null)).toBe('–');
  expect(formatSetting({ slow: 5000 })).toBe('{"slow":5000}');
});
