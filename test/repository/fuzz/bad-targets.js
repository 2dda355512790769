import fc from 'fast-check';

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  holds: { arbitrary: fc.nat(), check() {} },
  fails: {
    arbitrary: fc.nat(1000),
    check(number) {
      if (number > 7) throw new Error(`${number} is too many`);
    },
  },
  hangs: {
    arbitrary: fc.nat(1000),
    check(number) {
      while (number > 7);
    },
  },
  waits: { arbitrary: fc.constant('for ever'), check: () => new Promise(() => {}) },
  pollutes: {
    arbitrary: fc.nat(),
    check() {
      Reflect.set(Object.prototype, 'polluted', 1);
    },
  },
};
