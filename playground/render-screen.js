/** @import { Handle, Screen } from './browser/screens.js' */

/** @type {Record<'load' | 'pool', (Handle & { zero?: string })[]>} */
export const SANDBOX_HANDLES = {
  load: [
    { name: 'rate', label: 'Requests', min: 1, max: 400, value: 20, unit: 'per second' },
    { name: 'admins', label: 'Of them buses', min: 0, max: 50, value: 5, unit: 'in 100' },
    { name: 'fast', label: 'A Ferrari takes', min: 1, max: 100, value: 2, unit: 'ms' },
    { name: 'slow', label: 'A bus takes', min: 10, max: 5000, step: 10, value: 1000, unit: 'ms' },
  ],
  pool: [
    { name: 'pool', label: 'Lanes', min: 1, max: 100, value: 3 },
    {
      name: 'timeout',
      label: 'Give up waiting after',
      min: 0,
      max: 5000,
      step: 50,
      value: 0,
      unit: 'ms',
      zero: 'never',
    },
    { name: 'second', label: 'A second client for buses', min: 0, max: 20, value: 0, unit: 'more lanes', zero: 'none' },
    { name: 'cap', label: 'Buses at once, at most', min: 0, max: 20, value: 0, zero: 'no limit' },
    { name: 'cores', label: 'Cores that queries share', min: 0, max: 16, value: 0, zero: 'queries only sleep' },
  ],
};

/** Vehicles pass here: the line, the tunnel, and the toll booths of the server. */
export const STAGE_PICTURE = `<div class="stage">
<div class="line"><canvas aria-hidden="true"></canvas></div>
<div class="tunnel"><canvas role="img" aria-label="The tunnel"></canvas></div>
<div class="server" hidden><div class="booths" aria-hidden="true"></div><p></p></div>
</div>`;

/** The picture, and what plays it. */
export const STAGE = `<div class="watch">
${STAGE_PICTURE}
<p class="caption"></p>
<div class="player">
<button type="button" class="play">Play</button>
<button type="button" class="step">Step</button>
<label class="time"><span class="unseen">Time</span><span class="peak"></span>
<svg viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true"><path d=""/></svg>
<input type="range" min="0" max="1" step="any" value="0"></label>
<label class="slow">Speed <select><option value="1">normal</option><option value="0.25">slow</option><option
value="0.0625">very slow</option></select></label>
</div>
</div>`;

/** @param {Screen} screen @param {number} number @returns {string} its section, with the text that needs no script */
export function renderScreen({ id, title, text, guess, handles, figure, measured, published, why }, number) {
  const placed = [guess, ...handles].map((handle) => renderHandle(id, handle));
  const isTime = ['s', 'ms'].includes(String(guess.unit));
  const article = published ? '<th scope="col" class="article">article</th>' : '';
  const source = published ? ` Article: ${published.from}.` : '';
  return `<section id="${id}" class="screen" aria-labelledby="${id}-title">
<div class="words">
<p class="number">${number}</p>
<h2 id="${id}-title">${title}</h2>
${paragraphs(text)}
</div>
${STAGE}
<div class="guess">
<p class="question" id="${id}-question">${guess.question}</p>
${placed[0]}
<button type="button">Make your guess</button>
</div>
<div class="result" hidden>
<div class="words">
<p class="verdict" tabindex="-1"></p>
${paragraphs(why)}
</div>
<div class="try">
<div class="handles">
<h3>Try it</h3>
${placed.slice(1).join('\n')}
<p class="told" role="status"></p>
</div>
<div class="figures">
<table>
<caption>${figure}</caption>
<thead><tr><th scope="col">Lanes</th>
<td>${isTime ? '<span class="guess-mark">your guess</span>' : ''}</td>
<th scope="col" class="fill">simulated</th><th scope="col" class="lab">lab</th>${article}</tr></thead>
<tbody></tbody>
</table>
<p class="about">Lab: ${measured.from}.${source} <span class="unmeasured" hidden>Nobody
measured what you have set now, so there are no marks.</span></p>
</div>
</div>
</div>
<p class="share"><a class="link" href="#${id}">Link to this screen</a>
<a class="alone" href="#${id}?embed">On its own</a></p>
</section>`;
}

/** @param {string} id of its section @param {Handle & { zero?: string }} handle zero: what 0 means */
export function renderHandle(id, { name, label, min, max, step = 1, value, unit = '', zero = '', choices }) {
  const field = `${id}-${name}`;
  if (choices) {
    const options = choices.map((choice, index) => `<option value="${index}">${choice}</option>`).join('');
    return (
      `<p class="handle"><label for="${field}">${label}</label> <select id="${field}" ` +
      `name="${name}">${options}</select></p>`
    );
  }
  const shown = value === 0 && zero ? zero : `${value} ${unit}`.trim();
  return `<p class="handle"><label for="${field}">${label}</label> <output for="${field}">${shown}</output>
<input type="range" id="${field}" name="${name}" min="${min}" max="${max}" step="${step}" value="${value}"
data-unit="${unit}"${zero && ` data-zero="${zero}"`}></p>`;
}

/** @param {string[]} texts */
function paragraphs(texts) {
  return texts.map((text) => `<p>${text}</p>`).join('\n');
}
