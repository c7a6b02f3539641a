// The model's files, with the lines that make what is looked at.

import { h, replace } from '../dom.js';
import { NONE } from './look.js';

/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('../dom.js').Child} Child */

/**
 * The file and line of a place as remat writes it: `gpt.model:21:5`.
 *
 * @param {string} place
 */
export function lineOf(place) {
  const match = /^(.*):(\d+):\d+$/.exec(place);
  return match === null ? null : { file: match[1], line: Number(match[2]) };
}

/**
 * The line that makes a value.
 *
 * @param {Look} look
 * @param {number} value
 * @returns {Child[]}
 */
export function excerpt(look, value) {
  const at = lineOf(look.values.at[value]);
  const source = look.data.sources.find((each) => each.file === at?.file);
  if (at === null || source === undefined) {
    return [];
  }
  const text = source.text.split('\n')[at.line - 1] ?? '';
  return [h('figure', { class: 'excerpt' }, h('figcaption', {}, look.place(value)), h('pre', {}, text.trim()))];
}

/**
 * All files, side by side with the tree of layers: lines of the chosen value and layer are marked.
 *
 * @param {Look} look
 */
export function sourceView(look) {
  const { values } = look;
  /** @type {Map<string, HTMLElement>} */
  const lines = new Map();
  const files = look.data.sources.map((source) => {
    const rows = source.text.replace(/\n$/, '').split('\n').map((text, i) => {
      const row = h('li', { value: i + 1 }, h('code', {}, text === '' ? ' ' : text));
      lines.set(`${source.file}:${i + 1}`, row);
      return row;
    });
    return h('div', {}, look.data.sources.length > 1 && h('p', { class: 'quiet name' }, source.file),
      h('ol', { class: 'source' }, ...rows));
  });
  const frame = h('div', { class: 'source-frame', tabindex: 0, role: 'region', 'aria-label': 'The model' }, ...files);

  /** @param {number} value */
  const key = (value) => {
    const at = lineOf(values.at[value]);
    return at === null ? '' : `${at.file}:${at.line}`;
  };

  function mark() {
    lines.forEach((row) => {
      row.className = '';
      row.removeAttribute('aria-current');
    });
    if (look.layer !== '') {
      const inside = `${look.layer}.`;
      for (let v = 0; v < values.count; v++) {
        if (values.scope[v] === look.layer || values.scope[v].startsWith(inside)) {
          lines.get(key(v))?.classList.add('of-layer');
        }
      }
    }
    const line = look.value === NONE ? undefined : lines.get(key(look.value));
    line?.classList.add('of-value');
    line?.setAttribute('aria-current', 'true');
    const first = line ?? frame.querySelector('.of-layer');
    if (first instanceof HTMLElement) {
      frame.scrollTop = first.offsetTop - frame.offsetTop - frame.clientHeight / 3;
    }
  }

  look.on(['value', 'layer'], mark);
  return { frame, caption: caption(look) };
}

/** @param {Look} look */
function caption(look) {
  const text = h('p', { class: 'quiet', 'aria-live': 'polite' });
  const draw = () => {
    const layer = look.layer === '' ? 'the chosen layer' : look.layer;
    replace(text, `Lines of ${layer} have a bar on the left; the line that makes the chosen tensor is filled.`);
  };
  look.on(['layer'], draw);
  draw();
  return text;
}
