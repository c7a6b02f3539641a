// What lanes do, in words: what they are drawn with, what moves at a point, and what kernels wait for.

import { h } from '../dom.js';
import { bytes } from '../format.js';
import { valueLink } from './why.js';

/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('../dom.js').Child} Child */

/** How many tensors are named that kernels wait for. */
const MOST_WAITS = 3;

/**
 * What the lanes are drawn with.
 *
 * @param {Look} look
 */
export function laneKey(look) {
  const moved = look.movesAny ? ['stored', 'fetched'] : [];
  const exchanged = look.exchangesAny ? ['exchanged'] : [];
  return h('ul', { class: 'legend', 'aria-label': 'Lanes' },
    h('li', {}, h('span', { class: 'swatch run', 'aria-hidden': 'true' }), h('span', {}, 'kernel')),
    ...[...moved, ...exchanged].map((what) =>
      h('li', {}, h('span', { class: `swatch ${what}`, 'aria-hidden': 'true' }), h('span', {}, what))),
    h('li', {}, h('span', { class: 'swatch waited', 'aria-hidden': 'true' }), h('span', {}, 'exposed',
      h('span', { class: 'quiet' }, ' no kernel runs'))));
}

/**
 * What kernels wait for longest.
 *
 * @param {Look} look
 * @returns {Child[]}
 */
export function waitsText(look) {
  const { moves, stepValue } = look.plan;
  const waits = [...moves?.longestWaits(MOST_WAITS) ?? [], ...(moves?.longestExchanges(MOST_WAITS) ?? [])
    .map(({ step, waited }) => ({ value: stepValue[step], nanos: waited }))].sort((a, b) => b.nanos - a.nanos);
  return waits.length === 0 ? ['No kernel waits for a lane.'] : ['Kernels wait longest for ',
    ...waits.slice(0, MOST_WAITS).flatMap(({ value, nanos }, i) =>
      [i > 0 && ', ', valueLink(look, value), ` (${look.time(nanos)})`]), '.'];
}

/**
 * @param {Look} look
 * @param {number} transfer
 * @returns {Child[]}
 */
export function transferText(look, transfer) {
  const moves = /** @type {import('./moves.js').Moves} */ (look.plan.moves);
  const place = moves.places[moves.place[transfer]].name;
  return [
    h('div', { class: 'name' }, look.values.name[moves.value[transfer]]),
    h('div', {}, `${moves.fetches[transfer] ? 'fetched from' : 'stored to'} the ${place}, `
      + `${bytes(moves.bytes[transfer])} in ${look.time(moves.to[transfer] - moves.from[transfer])}`),
    h('div', { class: 'quiet' }, `from ${look.time(moves.from[transfer])} on`),
  ];
}

/**
 * What an exchange waits for, and what waits for it.
 *
 * @param {Look} look
 * @param {number} exchange
 * @returns {Child[]}
 */
export function exchangeText(look, exchange) {
  const moves = /** @type {import('./moves.js').Moves} */ (look.plan.moves);
  const { step, awaited, bytes: size, from, to, waited } = moves.exchanges[exchange];
  const before = moves.exchanges[exchange - 1];
  const follows = before !== undefined && from > moves.begin[step];
  const ends = look.plan.sections.some((section) => section.to === awaited) || awaited === look.plan.stepCount;
  return [
    h('div', { class: 'name' }, look.stepName(step)),
    h('div', {}, `${bytes(size)} a rank in ${look.time(to - from)}, from ${look.time(from)} on`),
    h('div', { class: 'quiet' },
      follows ? `when ${look.stepName(before.step)} has ended` : `when all ranks have come to step ${step}`),
    h('div', { class: 'quiet' }, `${ends ? 'awaited at the end of the round'
      : `awaited in front of step ${awaited}, ${look.stepName(awaited)}`}: `
      + (waited > 0 ? `kernels wait ${look.time(waited)}` : 'no kernel waits')),
  ];
}
