/**
 * Replaces a method with a wrapper, and puts the original back unless other code has replaced it again.
 *
 * @param {any} target object or prototype
 * @param {string} name
 * @param {(original: Function) => Function} wrap
 * @returns {() => void} puts the original back
 */
export function replaceMethod(target, name, wrap) {
  const before = Object.getOwnPropertyDescriptor(target, name);
  const original = target[name];
  const wrapper = wrap(original);
  Object.defineProperties(wrapper, {
    name: { value: original.name, configurable: true },
    length: { value: original.length, configurable: true },
  });
  if (before?.writable) target[name] = wrapper;
  else Object.defineProperty(target, name, { configurable: true, writable: true, value: wrapper });
  return () => {
    if (target[name] !== wrapper) return;
    if (before) Object.defineProperty(target, name, before);
    else delete target[name];
  };
}
