import Module from 'node:module';
import { replaceMethod } from './replace-method.js';

/** @typedef {(request: string, exports: unknown) => void} LoadListener */

/** @type {Set<LoadListener>} */
const listeners = new Set();
let restore = () => {};

/**
 * Watches which CommonJS modules are loaded. `import` and `require` both load them with `Module._load`. All listeners
 * share one hook there, because two could only be taken off in the opposite order.
 *
 * @param {LoadListener} onLoad gets what was asked for: a name, or a file. Also called for a module that was loaded
 *   before
 * @returns {() => void} ends it
 */
export function watchModules(onLoad) {
  if (listeners.size === 0) restore = replaceMethod(Module, '_load', wrapLoad);
  listeners.add(onLoad);
  return () => {
    if (listeners.delete(onLoad) && listeners.size === 0) restore();
  };
}

/** @param {Function} original */
function wrapLoad(original) {
  /** @this {unknown} @param {unknown} request */
  return function load(request) {
    const exports = Reflect.apply(original, this, arguments);
    if (typeof request === 'string') for (const onLoad of listeners) onLoad(request, exports);
    return exports;
  };
}
