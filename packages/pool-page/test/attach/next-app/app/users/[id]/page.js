import { find } from '../../../find.js';

/** The app router. */
async function User() {
  return JSON.stringify(await find());
}

export { User as default };
