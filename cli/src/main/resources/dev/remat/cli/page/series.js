// How series of a chart look: a colour, and a shape and dashes for those who see colours otherwise.

import { h } from './dom.js';
import { drawLine } from './strokes.js';
import { colour, onTheme } from './theme.js';

/** Names of colours in the style sheet, those that differ most first. */
const INKS = ['retained', 'gradient', 'activation', 'workspace', 'parameter', 'statistics', 'recomputed'];
/** @type {number[][]} */
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [14, 4]];
/** How near a pointer must be to a mark, in pixels. */
const NEAR = 28;
const SWATCH = { width: 34, height: 16 };

/** @typedef {(path: CanvasRenderingContext2D, x: number, y: number, r: number) => void} Shape */

/**
 * @param {[number, number][]} corners of the shape, in units of its radius
 * @returns {Shape}
 */
function polygon(corners) {
  return (path, x, y, r) => {
    corners.forEach(([dx, dy]) => path.lineTo(x + dx * r, y + dy * r));
    path.closePath();
  };
}

/** @type {Shape[]} */
const SHAPES = [
  (path, x, y, r) => {
    path.moveTo(x + r, y);
    path.arc(x, y, r, 0, 2 * Math.PI);
  },
  polygon([[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]),
  polygon([[0, -1.2], [1.1, 0.8], [-1.1, 0.8]]),
  polygon([[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]]),
  polygon([[0, 1.2], [1.1, -0.8], [-1.1, -0.8]]),
  polygon([[-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4], [0.4, 0.4], [0.4, 1.2], [-0.4, 1.2],
    [-0.4, 0.4], [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4]]),
  polygon([[-1.2, 0.7], [-0.7, -1], [0.7, -1], [1.2, 0.7], [0, 1.2]]),
  polygon([[-1.2, -1], [1.2, -1], [0.3, 0], [1.2, 1], [-1.2, 1], [-0.3, 0]]),
];

/**
 * The colour of a series now.
 *
 * @param {number} index
 */
export function seriesColour(index) {
  return colour(INKS[index % INKS.length] ?? '');
}

/** @param {number} index */
export function seriesDashes(index) {
  return DASHES[index % DASHES.length] ?? [];
}

/**
 * Draws a mark of a series.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {number} index
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
export function drawMark(context, index, x, y, r) {
  context.beginPath();
  SHAPES[index % SHAPES.length]?.(context, x, y, r);
  context.fillStyle = seriesColour(index);
  context.fill();
  context.strokeStyle = colour('panel');
  context.lineWidth = 1;
  context.setLineDash([]);
  context.stroke();
}

/**
 * The mark that a pointer means: the nearest, where one is near.
 *
 * @param {PointerEvent} event
 * @param {[number, number][]} marks in pixels
 * @returns {number} its index, or -1
 */
export function markAt({ offsetX, offsetY }, marks) {
  const distances = marks.map(([x, y]) => Math.hypot(x - offsetX, y - offsetY));
  const least = Math.min(...distances);
  return least < NEAR ? distances.indexOf(least) : -1;
}

/**
 * Names of series beside how they look.
 *
 * @param {string} label what they are
 * @param {string[]} names
 * @param {'line' | 'mark'} as how the chart draws them
 */
export function seriesLegend(label, names, as) {
  const items = names.map((name, index) => {
    const canvas = h('canvas', { ...SWATCH, 'aria-hidden': 'true' });
    const draw = () => {
      const context = canvas.getContext('2d');
      if (context !== null) {
        context.clearRect(0, 0, SWATCH.width, SWATCH.height);
        if (as === 'mark') {
          drawMark(context, index, SWATCH.width / 2, SWATCH.height / 2, 6);
        } else {
          drawLine(context, [[0, SWATCH.height / 2], [SWATCH.width, SWATCH.height / 2]], seriesColour(index), 2.5,
            seriesDashes(index));
        }
      }
    };
    draw();
    onTheme(draw);
    return h('li', {}, canvas, h('span', { class: 'name' }, name));
  });
  return h('ul', { class: 'legend', 'aria-label': label }, ...items);
}
