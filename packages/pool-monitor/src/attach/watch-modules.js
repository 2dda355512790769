import Module from 'node:module';
import { replaceMethod } from './replace-method.js';

/**
 * Watches which CommonJS modules are loaded. `import` and `require` both load them with `Module._load`.
 *
 * @param {(request: string, exports: unknown) => void} onLoad gets what was asked for: a name, or a file. Also called
 *   for a module that was loaded before
 * @returns {() => void} ends it
 */
export function watchModules(onLoad) {
  return replaceMethod(
    Module,
    '_load',
    (original) =>
      /** @this {unknown} @param {unknown} request */
      function load(request) {
        const exports = Reflect.apply(original, this, arguments);
        if (typeof request === 'string') onLoad(request, exports);
        return exports;
      },
  );
}
