// A loader that returns the source of CommonJS modules, as loaders do that change it. Node.js loads them another way.
import { register } from 'node:module';

register('./source-hooks.mjs', import.meta.url);
