// The one tip of a page, beside the pointer or what has the focus.

import { h, replace } from './dom.js';

/** @typedef {import('./dom.js').Child} Child */

const GAP = 14;
const tip = h('div', { class: 'tip', role: 'status', hidden: true });

/**
 * Shows it near a point of the window, inside the window.
 *
 * @param {number} x
 * @param {number} y
 * @param {...Child} content
 */
export function showTip(x, y, ...content) {
  if (!tip.isConnected) {
    document.body.append(tip);
  }
  replace(tip, ...content);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = x + GAP + box.width > window.innerWidth ? x - GAP - box.width : x + GAP;
  const top = y + GAP + box.height > window.innerHeight ? y - GAP - box.height : y + GAP;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

export function hideTip() {
  tip.hidden = true;
}
