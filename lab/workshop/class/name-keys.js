/**
 * Each Latin letter, followed by the letters and digits of Latin, Cyrillic and Greek that look like it, from Unicode's
 * list (https://www.unicode.org/Public/security/latest/confusables.txt). Marks and widths are no part of it.
 */
const LOOK_ALIKES =
  'aАΑаαɑ bВΒЬ cСϹсϲ dԁ eЕΕеҽ fϜ gԌɡ hНΗһ iіιıɩӏ jЈͿјϳ kКΚ lI1|ІΙӀǀ mМΜϺ nΝ o0ОΟоοσ pРΡрρ qԛ rг sЅѕ tТΤ uυʋ vѴѵν ' +
  'wԜԝѡ xХΧх× yУΥҮуүγ zΖ';

const LATIN = new Map(LOOK_ALIKES.split(' ').flatMap(([latin, ...others]) => others.map((other) => [other, latin])));

/**
 * What names that people would take for each other have in common: the name as it looks, and as it looks in capitals,
 * without case, accents, widths and invisible characters.
 * @param {string} name
 */
export function keysOfName(name) {
  return [name, name.toUpperCase()].map((form) =>
    form
      .normalize('NFKD')
      .replace(/[\u0300-\u036f\p{Default_Ignorable_Code_Point}]/gu, '')
      .replace(/\s+/g, ' ')
      .replace(/[^ ]/gu, (letter) => LATIN.get(letter) ?? letter)
      .toLowerCase(),
  );
}
