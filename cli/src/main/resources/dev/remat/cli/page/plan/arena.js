// The arena: a rectangle for every buffer, over the steps at which it is in use and the addresses that it takes.

import { drawLevel } from '../axes.js';
import { bytes } from '../format.js';
import { inks, shade } from '../kinds.js';
import { colour } from '../theme.js';
import { NONE } from './look.js';
import { stepsPlot } from './marks.js';

/** @typedef {import('../range.js').Range} Range */
/** @typedef {{ stayCount: number, first: number[], last: number[], offset: number[], bytes: number[],
 *   kind: ArrayLike<number> }} Stays buffers, from their first step or other unit through their last */
/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('./marks.js').Plane} Plane */

/** From how many pixels on a rectangle has an edge. */
const EDGED = 4;

/**
 * @typedef {object} Placing of steps and addresses in pixels: `x0 + step * kx` and `y0 + address * ky`
 * @property {number} x0
 * @property {number} kx
 * @property {number} y0
 * @property {number} ky
 */

/**
 * Fills rectangles of pixels by hand: buffers do not overlap, so that all of them together are one screen.
 *
 * @param {Uint32Array} pixels
 * @param {number} width
 * @param {number} height
 * @param {Stays} plan
 * @param {Placing} at
 */
export function raster(pixels, width, height, plan, { x0, kx, y0, ky }) {
  const shades = inks();
  for (let i = 0; i < plan.stayCount; i++) {
    const end = x0 + (plan.last[i] + 1) * kx;
    const begin = x0 + plan.first[i] * kx;
    if (end < 0 || begin >= width) {
      continue;
    }
    const left = Math.max(0, Math.round(begin));
    const right = Math.min(width, Math.max(left + 1, Math.round(end)));
    const bottom = Math.min(height, Math.round(y0 + plan.offset[i] * ky));
    const top = Math.max(0, Math.min(bottom - 1, Math.round(y0 + (plan.offset[i] + plan.bytes[i]) * ky)));
    const { tile, edge } = shades[plan.kind[i]];
    const edged = right - left >= EDGED && bottom - top >= EDGED;
    for (let row = top; row < bottom; row++) {
      const line = row * width;
      if (edged && row === top) {
        pixels.fill(edge, line + left, line + right);
        continue;
      }
      const tileLine = (row & 7) << 3;
      for (let column = left; column < right; column++) {
        pixels[line + column] = tile[tileLine | (column & 7)];
      }
      if (edged) {
        pixels[line + left] = edge;
      }
    }
  }
}

/**
 * @param {Look} look
 * @param {Range} range
 */
export function arenaPlot(look, range) {
  const size = () => look.plan.sums.memory.arenaBytes;
  const { chart, plane } = stepsPlot(look, range, {
    label: 'The arena: addresses over the step',
    height: 380,
    most: () => Math.max(1, size()) * 1.04,
    drawBytes,
    drawLevels: (at) => drawLevel(at, at.y(size()), `arena ${bytes(size())}`, colour('ink'), []),
    drawChosen,
  });
  /** @type {ImageData | null} */
  let image = null;

  /** @param {Plane} plane */
  function drawBytes({ context, ratio, left, right, top, bottom, x, y }) {
    const width = Math.round((right - left) * ratio);
    const height = Math.round((bottom - top) * ratio);
    if (image === null || image.width !== width || image.height !== height) {
      image = context.createImageData(width, height);
    }
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(shade(colour('faint'), 0));
    raster(pixels, width, height, look.plan, {
      x0: (x(0) - left) * ratio,
      kx: (x(1) - x(0)) * ratio,
      y0: (y(0) - top) * ratio,
      ky: (y(1) - y(0)) * ratio,
    });
    context.putImageData(image, Math.round(left * ratio), Math.round(top * ratio));
  }

  /** @param {Plane} plane */
  function drawChosen({ context, x, y, ...frame }) {
    const { plan } = look;
    for (const value of [look.value, look.hovered]) {
      for (const stay of value === NONE ? [] : plan.staysOf.get(value) ?? []) {
        const left = Math.max(frame.left, x(plan.first[stay]));
        const right = Math.min(frame.right, x(plan.last[stay] + 1));
        const top = y(plan.offset[stay] + plan.bytes[stay]);
        const height = Math.max(3, y(plan.offset[stay]) - top);
        if (right > left) {
          for (const [ink, width] of /** @type {const} */ ([['ground', 5], ['lit', 2.5]])) {
            context.strokeStyle = colour(ink);
            context.lineWidth = width;
            context.strokeRect(left, top, Math.max(3, right - left), height);
          }
        }
      }
    }
  }

  /**
   * The stay under a point of the canvas, or -1.
   *
   * @param {number} px
   * @param {number} py
   */
  function hit(px, py) {
    const { x, y } = plane();
    return look.plan.hit(Math.floor(x.invert(px)), y.invert(py));
  }

  return { chart, hit };
}
