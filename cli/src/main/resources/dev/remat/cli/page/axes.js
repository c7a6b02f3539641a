// Axes of plots.

import { bytes } from './format.js';
import { drawLine } from './strokes.js';
import { colour } from './theme.js';
import { byteTicks } from './ticks.js';

/** @typedef {import('./plot.js').Frame} Frame */

/** The font of everything that is written on a canvas. */
export const FONT = '12px system-ui, sans-serif';

/**
 * A scale of bytes on the left, with a line at each tick.
 *
 * @param {Frame} frame
 * @param {d3.Scale} y
 */
export function drawByteAxis(frame, y) {
  const [, most] = y.domain();
  drawLeftAxis(frame, y, byteTicks(most, Math.max(2, (frame.bottom - frame.top) / 34)), bytes);
}

/**
 * @param {Frame} frame
 * @param {d3.Scale} y
 * @param {number[]} ticks
 * @param {(value: number) => string} text
 */
export function drawLeftAxis(frame, y, ticks, text) {
  const { context } = frame;
  context.font = FONT;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const tick of ticks) {
    const at = Math.round(y(tick)) + 0.5;
    context.fillStyle = colour('rule');
    context.fillRect(frame.left, at - 0.5, frame.right - frame.left, 1);
    context.fillStyle = colour('quiet');
    context.fillText(text(tick), frame.left - 6, at);
  }
}

/**
 * A scale below, and what it counts.
 *
 * @param {Frame} frame
 * @param {d3.Scale} x
 * @param {string} name
 * @param {(value: number) => string} text
 * @param {(tick: number) => boolean} [wanted]
 */
export function drawBottomAxis(frame, x, name, text, wanted = () => true) {
  const { context } = frame;
  context.font = FONT;
  context.fillStyle = colour('rule');
  context.fillRect(frame.left, frame.bottom, frame.right - frame.left, 1);
  context.textAlign = 'center';
  context.textBaseline = 'top';
  context.fillStyle = colour('quiet');
  const most = Math.max(2, Math.floor((frame.right - frame.left) / 90));
  for (const tick of x.ticks(most).filter(wanted)) {
    const at = x(tick);
    context.fillRect(Math.round(at), frame.bottom, 1, 4);
    context.fillText(text(tick), Math.min(at, frame.right - 12), frame.bottom + 6);
  }
  context.textAlign = 'left';
  context.fillText(name, 6, frame.bottom + 6);
}

/**
 * A horizontal line across a plot with its name on it.
 *
 * @param {Frame} frame
 * @param {number} y
 * @param {string} text
 * @param {string} ink a colour
 * @param {number[]} dashes
 * @param {boolean} [below] whether the name stands below the line
 * @param {'left' | 'right'} [side] where it stands
 */
export function drawLevel(frame, y, text, ink, dashes, below = false, side = 'right') {
  const at = Math.round(y) + 0.5;
  drawLine(frame.context, [[frame.left, at], [frame.right, at]], ink, 1.5, dashes);
  label(frame, text, side === 'right' ? frame.right - 4 : frame.left + 4, below ? at + 10 : at - 9, ink, side);
}

/**
 * Text on a plot, readable on whatever lies under it and inside the plot.
 *
 * @param {Frame} frame
 * @param {string} text
 * @param {number} x
 * @param {number} y middle of the line
 * @param {string} ink a colour
 * @param {'left' | 'right' | 'center'} align
 */
export function label(frame, text, x, y, ink, align) {
  const { context } = frame;
  context.font = FONT;
  const wide = context.measureText(text).width;
  const from = align === 'left' ? x : align === 'right' ? x - wide : x - wide / 2;
  const left = Math.max(frame.left + 4, Math.min(from, frame.right - 4 - wide));
  context.fillStyle = colour('panel');
  context.globalAlpha = 0.85;
  context.fillRect(left - 3, y - 8, wide + 6, 16);
  context.globalAlpha = 1;
  context.fillStyle = ink;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(text, left, y);
}
