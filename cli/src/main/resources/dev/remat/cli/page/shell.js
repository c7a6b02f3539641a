// What every page has around its parts.

import { h, replace } from './dom.js';
import { themeButton } from './theme.js';

/** @typedef {import('./dom.js').Child} Child */

/**
 * @typedef {object} Part
 * @property {string} id
 * @property {string} title
 * @property {string} hint what the part answers
 * @property {Child[]} content
 */

/**
 * Fills a page: a title, links to its parts, the parts.
 *
 * @param {HTMLElement} place
 * @param {string} title
 * @param {Child[]} head below the title
 * @param {Part[]} parts
 */
export function fillPage(place, title, head, parts) {
  const links = parts.map((part) => h('a', { href: `#${part.id}` }, part.title));
  replace(
    place,
    h('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
    h('header', { class: 'masthead' }, h('div', {}, h('h1', {}, title), ...head), themeButton()),
    h('nav', { class: 'contents', 'aria-label': 'Parts of this page' }, ...links),
    h('main', { id: 'main' }, ...parts.map(section)),
  );
}

/** @param {Part} part */
function section(part) {
  const heading = `${part.id}-title`;
  return h(
    'section',
    { class: 'part', id: part.id, 'aria-labelledby': heading },
    h('header', {}, h('h2', { id: heading }, part.title), h('p', {}, part.hint)),
    ...part.content,
  );
}

/**
 * Names with values, as tiles.
 *
 * @param {{ name: string, value: string, note?: string, exact?: string }[]} facts
 */
export function factTiles(facts) {
  return h('dl', { class: 'facts' }, ...facts.map((fact) => h(
    'div',
    {},
    h('dt', {}, fact.name),
    h('dd', { title: fact.exact, 'data-fact': fact.name }, fact.value, fact.note ? h('small', {}, fact.note) : null),
  )));
}
