// Light and dark, and what listens to the change.

import { h } from './dom.js';

/** @type {Set<() => void>} */
const listeners = new Set();
const system = window.matchMedia('(prefers-color-scheme: dark)');
const CHOICES = ['auto', 'light', 'dark'];
let choice = 'auto';
/**
 * Colours by name, as long as they stay: charts ask for many in each frame.
 *
 * @type {Map<string, string>}
 */
const known = new Map();

function apply() {
  const dark = choice === 'dark' || (choice === 'auto' && system.matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
  known.clear();
  listeners.forEach((listener) => listener());
}

system.addEventListener('change', apply);
apply();

/**
 * Calls a listener after each change of colours.
 *
 * @param {() => void} listener
 */
export function onTheme(listener) {
  listeners.add(listener);
}

/**
 * The colour of that name now.
 *
 * @param {string} name as in the style sheet, without dashes
 */
export function colour(name) {
  const value = known.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  known.set(name, value);
  return value;
}

/** A button that goes around the choices. */
export function themeButton() {
  const button = h('button', {
    type: 'button',
    class: 'theme',
    click: () => {
      choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length] ?? 'auto';
      apply();
      label();
    },
  });
  function label() {
    button.textContent = `Colours: ${choice}`;
    button.setAttribute('aria-label', `Colours: ${choice}; press for others`);
  }
  label();
  return button;
}
