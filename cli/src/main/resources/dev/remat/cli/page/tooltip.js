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

/**
 * Shows beside a pointer over a canvas what it points at.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {(event: PointerEvent) => Child[]} told of what is there; nothing where nothing is
 * @returns {(event: PointerEvent) => void} does so for one more event
 */
export function showTips(canvas, told) {
  const show = (/** @type {PointerEvent} */ event) => {
    const content = told(event);
    if (content.length > 0) {
      showTip(event.clientX, event.clientY, ...content);
    } else {
      hideTip();
    }
  };
  canvas.addEventListener('pointermove', show);
  canvas.addEventListener('pointerleave', hideTip);
  return show;
}
