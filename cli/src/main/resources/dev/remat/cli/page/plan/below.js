// Memory below the arena over the step: bytes of each place, stacked.

import { h } from '../dom.js';
import { colour } from '../theme.js';
import { fullest } from './condense.js';
import { stepsPlot } from './marks.js';

/** @typedef {import('../range.js').Range} Range */
/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('./marks.js').Plane} Plane */

/** Colours of places, in their order. */
const INKS = ['fetched', 'stored'];
const ABOVE = 1.12;

/** @param {number} place */
function ink(place) {
  return INKS[place % INKS.length];
}

/**
 * A small area of a place's colour.
 *
 * @param {number} place
 */
export function placeSwatch(place) {
  return h('span', { class: `swatch ${ink(place)}`, 'aria-hidden': 'true' });
}

/**
 * @param {Look} look
 * @param {Range} range
 */
export function belowPlot(look, range) {
  const most = () => Math.max(1, look.plan.moves?.most ?? 0) * ABOVE;
  return stepsPlot(look, range, { label: 'Memory below the arena', height: 190, most, drawBytes }).chart;

  /** @param {Plane} plane */
  function drawBytes({ context, left, right, x, y }) {
    const columns = Math.max(1, Math.round(right - left));
    const [from, to] = x.domain();
    const below = new Float64Array(columns);
    look.plan.moves?.live.forEach((live, place) => {
      const steps = fullest(live, from, to, columns);
      context.fillStyle = colour(ink(place));
      for (let column = 0; column < columns; column++) {
        const size = live[steps[column]];
        const high = y(below[column] + size);
        context.fillRect(left + column, high, 1, y(below[column]) - high);
        below[column] += size;
      }
    });
  }
}
