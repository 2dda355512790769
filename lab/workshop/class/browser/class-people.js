/** @import { PersonView, RoomView } from '../class-view.js' */

/** @typedef {'admit' | 'remove' | 'hide' | 'unhide'} Action */

/**
 * @typedef {object} PeopleOptions
 * @property {boolean} areNamesHidden
 * @property {boolean} isManaging whether each name has its buttons
 * @property {(action: Action, names: string[]) => void} onAction
 */

const STATES = {
  stuck: 'May need a hand',
  working: 'Working',
  guessed: 'Have guessed',
  done: 'Have finished this lesson',
};

/** The room in groups. @param {RoomView} room @param {PeopleOptions} options @returns {HTMLElement[]} */
export function createPeople({ people, waiting }, options) {
  return [
    ...createWaiting(waiting, options),
    ...Object.entries(STATES).flatMap(([state, words]) => {
      const group = people.filter((one) => one.state === state);
      return createGroup(
        words,
        state,
        group.map((person) => createPerson(person, options)),
      );
    }),
  ];
}

/** Those who want to be let in. Their names are shown to a teacher who looks after the room. */
function createWaiting(/** @type {string[]} */ names, /** @type {PeopleOptions} */ { isManaging, onAction }) {
  const everyone = document.createElement('li');
  everyone.append(
    createButton('Let all in', () => onAction('admit', names)),
    ' ',
    createButton('Turn all away', () => onAction('remove', names)),
  );
  const items = names.map((name) => {
    const item = document.createElement('li');
    item.append(
      name,
      ' ',
      createButton('Let in', () => onAction('admit', [name]), name),
      ' ',
      createButton('Turn away', () => onAction('remove', [name]), name),
    );
    return item;
  });
  return createGroup('Wait to be let in', 'waiting', isManaging ? [everyone, ...items] : [], names.length);
}

/**
 * @param {string} words
 * @param {string} className
 * @param {HTMLElement[]} items
 * @param {number} [count]
 * @returns {HTMLElement[]}
 */
function createGroup(words, className, items, count = items.length) {
  if (count === 0) return [];
  const heading = document.createElement('h4');
  heading.textContent = `${words}: ${count}`;
  if (items.length === 0) return [heading];
  const list = document.createElement('ul');
  list.className = className;
  list.append(...items);
  return [heading, list];
}

/** @param {PersonView} person @param {PeopleOptions} options */
function createPerson({ name, shownAs, why, done, solved, hint }, { areNamesHidden, isManaging, onAction }) {
  const item = document.createElement('li');
  if (isManaging) item.textContent = name;
  else item.textContent = areNamesHidden ? 'A learner' : shownAs;
  const more = document.createElement('small');
  more.textContent = `${why || [`${done} done`, ...solved].join(', ')}${hint > 0 ? `, read hint ${hint}` : ''}`;
  item.append(' ', more);
  if (isManaging) {
    const isHidden = shownAs !== name;
    item.append(
      ' ',
      createButton(isHidden ? 'Show' : 'Hide', () => onAction(isHidden ? 'unhide' : 'hide', [name]), name),
      ' ',
      createButton('Remove', () => confirm(`Remove ${name} and all their work?`) && onAction('remove', [name]), name),
    );
  }
  return item;
}

/** @param {string} text @param {() => unknown} onClick @param {string} [name] of whom it is about */
function createButton(text, onClick, name) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  if (name !== undefined) button.setAttribute('aria-label', `${text} ${name}`);
  button.addEventListener('click', onClick);
  return button;
}
