import { expect, jest, test } from '@jest/globals';
import { createGuard } from '../../src/attach/guard.js';
import { replaceMethod } from '../../src/attach/replace-method.js';

const fail = () => {
  throw new Error('broken');
};

test('no error gets out; the first is told, and after twenty it is enough', () => {
  const [onFirst, onTooMany] = [jest.fn(), jest.fn()];
  const guard = createGuard(onFirst, onTooMany);
  const broken = guard(fail);
  for (let call = 0; call < 19; call++) broken();
  expect(onTooMany).not.toHaveBeenCalled();
  broken();
  broken();
  expect([onFirst.mock.calls.length, onTooMany.mock.calls.length]).toEqual([1, 1]);
});

test('an error of the one who is told does not get out either', () => {
  expect(createGuard(fail, () => {})(fail)).not.toThrow();
});

test('a method is replaced, looks the same, and is put back', () => {
  class Parent {
    /** @param {number} a */
    double(a) {
      return 2 * a;
    }
  }
  const before = Parent.prototype.double;
  const addOne = (/** @type {Function} */ original) => (/** @type {number} */ a) => original(a) + 1;
  const undo = replaceMethod(Parent.prototype, 'double', addOne);
  expect(new Parent().double(4)).toBe(9);
  const { name, length } = Parent.prototype.double;
  expect([name, length, Object.keys(Parent.prototype)]).toEqual(['double', 1, []]);
  undo();
  expect(Parent.prototype.double).toBe(before);
});

test('what somebody else replaced later stays', () => {
  const target = { name: () => 'a' };
  const undo = replaceMethod(target, 'name', (original) => () => `${original()}b`);
  const later = () => 'c';
  target.name = later;
  undo();
  expect(target.name).toBe(later);
});
