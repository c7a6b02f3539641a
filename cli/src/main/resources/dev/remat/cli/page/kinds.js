// What bytes of the arena are for, and how each kind looks: a colour and, for those who see it otherwise, a texture.

import { h } from './dom.js';
import { colour, onTheme } from './theme.js';

/** Side of a texture's tile. */
const TILE = 8;

/**
 * @typedef {object} Kind
 * @property {string} label as elsewhere in remat, and the name of its colour
 * @property {string} meaning
 * @property {(x: number, y: number) => boolean} inked whether a pixel of a tile is of the second shade
 */

/** @type {(x: number, y: number) => boolean} */
const rising = (x, y) => (x + y) % TILE < 2;
/** @type {(x: number, y: number) => boolean} */
const falling = (x, y) => (x - y + TILE) % TILE < 2;

/**
 * In the order in which a memory chart stacks them.
 *
 * @type {Kind[]}
 */
export const KINDS = [
  { label: 'parameter', meaning: 'weights', inked: () => false },
  { label: 'optimizer', meaning: 'state of the optimizer', inked: (_, y) => y % 4 === 0 },
  { label: 'statistics', meaning: 'running statistics', inked: (x) => x % 4 === 0 },
  { label: 'batch', meaning: 'the batch', inked: (x, y) => x % 4 === 0 && y % 4 === 0 },
  { label: 'gradient', meaning: 'gradients of parameters', inked: falling },
  { label: 'retained', meaning: 'kept by the forward for the rest of the step', inked: () => false },
  { label: 'recomputed', meaning: 'computed again', inked: rising },
  { label: 'fetched', meaning: 'back from below the arena', inked: (x, y) => (y < 4 ? rising : falling)(x, y) },
  { label: 'activation', meaning: 'needed for a while', inked: (x, y) => x % 4 === y % 4 && y % 2 === 0 },
  { label: 'workspace', meaning: 'scratch of one kernel', inked: (x, y) => rising(x, y) || falling(x, y) },
];

/**
 * @typedef {object} Ink pixels as images have them
 * @property {Uint32Array} tile row by row
 * @property {number} edge
 */

/**
 * A colour of the style sheet as a pixel, moved towards black (below 0) or white.
 *
 * @param {string} hex
 * @param {number} by between -1 and 1
 */
export function shade(hex, by) {
  const goal = by < 0 ? 0 : 255;
  const part = (/** @type {number} */ at) => {
    const from = parseInt(hex.slice(at, at + 2), 16);
    return Math.round(from + (goal - from) * Math.abs(by));
  };
  return ((255 << 24) | (part(5) << 16) | (part(3) << 8) | part(1)) >>> 0;
}

/** @type {{ inks: Ink[], tiles: HTMLCanvasElement[] } | null} */
let current = null;

function look() {
  if (current === null) {
    const inks = KINDS.map((kind) => {
      const hex = colour(kind.label);
      const [plain, second] = [shade(hex, 0), shade(hex, -0.35)];
      const tile = Uint32Array.from({ length: TILE * TILE }, (_, i) =>
        (kind.inked(i % TILE, Math.floor(i / TILE)) ? second : plain));
      return { tile, edge: shade(hex, -0.6) };
    });
    current = { inks, tiles: inks.map(drawTile) };
  }
  return current;
}

/** Pixels of every kind, in the order of {@link KINDS}, in today's colours. */
export function inks() {
  return look().inks;
}

/** @param {Ink} ink */
function drawTile(ink) {
  const canvas = h('canvas', { width: TILE, height: TILE });
  const context = canvas.getContext('2d');
  if (context !== null) {
    const image = context.createImageData(TILE, TILE);
    new Uint32Array(image.data.buffer).set(ink.tile);
    context.putImageData(image, 0, 0);
  }
  return canvas;
}

/** Lets the style sheet have the tiles, for swatches of any number. */
function publish() {
  current = null;
  look().tiles.forEach((tile, i) => {
    document.documentElement.style.setProperty(`--tile-${KINDS[i].label}`, `url(${tile.toDataURL()})`);
  });
}

onTheme(publish);
publish();

/**
 * What fills the areas of a kind.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {number} kind index
 * @returns {CanvasPattern | string}
 */
export function pattern(context, kind) {
  return context.createPattern(look().tiles[kind], 'repeat') ?? colour(KINDS[kind].label);
}

/**
 * A small area of a kind's colour and texture.
 *
 * @param {number} kind index
 */
export function swatch(kind) {
  const style = `background-image: var(--tile-${KINDS[kind].label})`;
  return h('span', { class: 'swatch', style, 'aria-hidden': 'true' });
}

/**
 * @param {number[]} kinds indices of those that occur
 * @param {HTMLElement[]} [more] items behind them
 */
export function legend(kinds, more = []) {
  const items = kinds.map((kind) => h('li', {}, swatch(kind), h('span', {}, KINDS[kind].label,
    h('span', { class: 'quiet' }, ` ${KINDS[kind].meaning}`))));
  return h('ul', { class: 'legend', 'aria-label': 'What bytes are for' }, ...items, ...more);
}
