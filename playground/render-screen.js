/** @import { Handle, Screen } from './browser/screens.js' */

/** Vehicles pass here: the line, the tunnel, and the toll booths of the server. */
export const STAGE = `<div class="stage">
<div class="line"><canvas aria-hidden="true"></canvas></div>
<div class="tunnel"><canvas role="img" aria-label="The tunnel"></canvas></div>
<div class="server" hidden><div class="booths" aria-hidden="true"></div><p></p></div>
</div>
<p class="caption"></p>
<div class="player">
<button type="button" class="play">Play</button>
<button type="button" class="step">Step</button>
<label class="time"><span class="unseen">Time</span><span class="peak"></span>
<svg viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true"><path d=""/></svg>
<input type="range" min="0" max="1" step="any" value="0"></label>
<label class="slow">Speed <select><option value="1">normal</option><option value="0.25">slow</option><option
value="0.0625">very slow</option></select></label>
</div>`;

/** @param {Screen} screen @param {number} number @returns {string} its section, with the text that needs no script */
export function renderScreen({ id, title, text, bet, handles, figure, measured, published, why }, number) {
  const placed = [bet, ...handles].map((handle) => renderHandle(id, handle));
  const isTime = ['s', 'ms'].includes(String(bet.unit));
  return `<section id="${id}" class="screen" aria-labelledby="${id}-title">
<div class="words">
<p class="number">${number}</p>
<h2 id="${id}-title">${title}</h2>
${paragraphs(text)}
</div>
${STAGE}
<div class="bet">
<p class="question" id="${id}-question">${bet.question}</p>
${placed[0]}
<button type="button">Place your bet</button>
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
<td>${isTime ? '<span class="guess">your bet</span>' : ''}</td>
<th scope="col" class="fill">simulated</th><th scope="col" class="lab">lab</th>${published ? '<th scope="col" class="article">article</th>' : ''}</tr></thead>
<tbody></tbody>
</table>
<p class="about">Lab: ${measured.from}.${published ? ` Article: ${published.from}.` : ''} <span class="unmeasured" hidden>Nobody
measured what you have set now, so there are no marks.</span></p>
</div>
</div>
</div>
<p class="share"><a class="link" href="#${id}">Link to this screen</a> <a class="alone" href="#${id}?embed">On its own</a></p>
</section>`;
}

/** @param {string} id of its section @param {Handle & { zero?: string }} handle zero: what 0 means */
export function renderHandle(id, { name, label, min, max, step = 1, value, unit = '', zero = '' }) {
  const field = `${id}-${name}`;
  const shown = value === 0 && zero ? zero : `${value} ${unit}`.trim();
  return `<p class="handle"><label for="${field}">${label}</label> <output for="${field}">${shown}</output>
<input type="range" id="${field}" name="${name}" min="${min}" max="${max}" step="${step}" value="${value}"
data-unit="${unit}"${zero && ` data-zero="${zero}"`}></p>`;
}

/** @param {string[]} texts */
function paragraphs(texts) {
  return texts.map((text) => `<p>${text}</p>`).join('\n');
}
