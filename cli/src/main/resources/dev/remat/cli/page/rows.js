// Long lists of lines of one height, of which only those in sight are in the document.

import { h, replace } from './dom.js';

/** @typedef {import('./dom.js').Child} Child */

/** Pixels that a line is high, as the style sheet has it. */
const HIGH = 20;
/** Lines beyond those in sight that are drawn as well. */
const BEYOND = 12;

/**
 * @typedef {object} RowsOptions
 * @property {string} label what the list holds
 * @property {number} most lines that are in sight at most
 * @property {(row: number) => { content: Child[], classes: string }} show
 * @property {(row: number) => void} choose is called when a line is clicked, or Enter is pressed on it
 */

/**
 * @param {RowsOptions} options
 */
export function rows(options) {
  /** @type {number[]} */
  let shown = [];
  let active = 0;
  const space = h('div', { class: 'rows-space' });
  const element = h('div', {
    class: 'rows', tabindex: 0, role: 'listbox', 'aria-label': options.label, scroll: draw, keydown: key, click,
  }, space);

  function inSight() {
    return Math.max(1, Math.min(options.most, shown.length));
  }

  function draw() {
    const first = Math.max(0, Math.floor(element.scrollTop / HIGH) - BEYOND);
    const last = Math.min(shown.length, first + inSight() + 2 * BEYOND);
    space.style.height = `${shown.length * HIGH}px`;
    element.style.height = `${inSight() * HIGH + 4}px`;
    replace(space, ...shown.slice(first, last).map((row, i) => {
      const { content, classes } = options.show(row);
      return h('div', {
        class: `row ${classes}`,
        role: 'option',
        'data-row': row,
        'aria-selected': String(classes.includes('chosen')),
        'aria-posinset': first + i + 1,
        'aria-setsize': shown.length,
        style: `top: ${(first + i) * HIGH}px`,
      }, ...content);
    }));
    const current = shown[active];
    space.querySelector(`[data-row="${current}"]`)?.classList.add('active');
  }

  /** @param {number} index of a line that is to be in sight */
  function reveal(index) {
    const top = index * HIGH;
    if (top < element.scrollTop || top + HIGH > element.scrollTop + inSight() * HIGH) {
      element.scrollTop = top - (inSight() * HIGH) / 3;
    }
  }

  /** @param {MouseEvent} event */
  function click(event) {
    const row = event.target instanceof Element ? event.target.closest('[data-row]') : null;
    if (row instanceof HTMLElement) {
      active = shown.indexOf(Number(row.dataset['row']));
      options.choose(Number(row.dataset['row']));
    }
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const goals = new Map([['ArrowUp', active - 1], ['ArrowDown', active + 1], ['PageUp', active - inSight()],
      ['PageDown', active + inSight()], ['Home', 0], ['End', shown.length - 1]]);
    const goal = goals.get(event.key);
    const row = shown[active];
    if (goal !== undefined) {
      active = Math.max(0, Math.min(shown.length - 1, goal));
      reveal(active);
      draw();
    } else if ((event.key === 'Enter' || event.key === ' ') && row !== undefined) {
      options.choose(row);
    } else {
      return;
    }
    event.preventDefault();
  }

  return {
    element,
    draw,
    /** @param {number[]} others lines to show, by their numbers */
    setRows(others) {
      shown = others;
      active = Math.min(active, Math.max(0, shown.length - 1));
      element.scrollTop = Math.min(element.scrollTop, shown.length * HIGH);
      draw();
    },
    /** @param {number} row brought into sight where the list has it */
    show(row) {
      const index = shown.indexOf(row);
      if (index >= 0) {
        active = index;
        reveal(index);
      }
    },
  };
}
