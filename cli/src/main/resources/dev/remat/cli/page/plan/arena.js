// The arena: a rectangle for every buffer, over the steps at which it is in use and the addresses that it takes.

import { drawBottomAxis, drawByteAxis, drawLevel } from '../axes.js';
import { bytes } from '../format.js';
import { inks, KINDS, shade } from '../kinds.js';
import { plot } from '../plot.js';
import { colour } from '../theme.js';
import { NONE } from './look.js';
import { drawLives, drawPhases, drawStep, STRIP } from './marks.js';

/** @typedef {import('../plot.js').Frame} Frame */
/** @typedef {import('../range.js').Range} Range */
/** @typedef {import('./data.js').Plan} Plan */
/** @typedef {import('./look.js').Look} Look */

/** From how many pixels on a rectangle has an edge. */
const EDGED = 4;

/**
 * Fills rectangles of pixels by hand: buffers do not overlap, so that all of them together are one screen.
 *
 * @param {Uint32Array} pixels
 * @param {number} width
 * @param {number} height
 * @param {Plan} plan
 * @param {{ x: (step: number) => number, y: (address: number) => number }} scale to pixels
 */
export function raster(pixels, width, height, plan, scale) {
  const shades = inks();
  for (let i = 0; i < plan.stayCount; i++) {
    const left = Math.max(0, Math.round(scale.x(plan.first[i])));
    const right = Math.min(width, Math.max(left + 1, Math.round(scale.x(plan.last[i] + 1))));
    const bottom = Math.min(height, Math.round(scale.y(plan.offset[i])));
    const top = Math.max(0, Math.min(bottom - 1, Math.round(scale.y(plan.offset[i] + plan.bytes[i]))));
    if (right <= left || left >= width || bottom <= 0 || scale.x(plan.last[i] + 1) < 0) {
      continue;
    }
    const { inked } = KINDS[plan.kind[i]];
    const ink = shades[plan.kind[i]];
    const edged = right - left >= EDGED && bottom - top >= EDGED;
    for (let row = top; row < bottom; row++) {
      for (let column = left; column < right; column++) {
        const edge = edged && (row === top || column === left);
        const at = row * width + column;
        pixels[at] = edge ? ink.edge : inked(column & 7, row & 7) ? ink.second : ink.plain;
      }
    }
  }
}

/**
 * @param {Look} look
 * @param {Range} range
 */
export function arenaPlot(look, range) {
  const chart = plot({ label: 'The arena: addresses over the step', height: 380, draw });
  /** @type {ImageData | null} */
  let image = null;

  /** @param {Frame} frame */
  function scales(frame) {
    const { arenaBytes } = look.plan.sums.memory;
    return {
      x: range.scale(frame),
      y: d3.scaleLinear().domain([0, Math.max(1, arenaBytes) * 1.04]).range([frame.bottom, frame.top]),
    };
  }

  /** @param {Frame} frame */
  function draw(frame) {
    const { x, y } = scales(frame);
    const { arenaBytes } = look.plan.sums.memory;
    drawByteAxis(frame, y);
    drawBuffers(frame, x, y);
    drawPhases(frame, x, look);
    drawLevel(frame, y(arenaBytes), `arena ${bytes(arenaBytes)}`, colour('ink'), []);
    drawLives(frame, x, look);
    drawChosen(frame, x, y);
    drawStep(frame, x, look);
    drawBottomAxis({ ...frame, bottom: frame.bottom + STRIP }, x, 'step', String, Number.isInteger);
  }

  /**
   * @param {Frame} frame
   * @param {d3.Scale} x
   * @param {d3.Scale} y
   */
  function drawBuffers(frame, x, y) {
    const { context, ratio } = frame;
    const width = Math.round((frame.right - frame.left) * ratio);
    const height = Math.round((frame.bottom - frame.top) * ratio);
    if (image === null || image.width !== width || image.height !== height) {
      image = context.createImageData(width, height);
    }
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(shade(colour('faint'), 0));
    raster(pixels, width, height, look.plan, {
      x: (step) => (x(step) - frame.left) * ratio,
      y: (address) => (y(address) - frame.top) * ratio,
    });
    context.putImageData(image, Math.round(frame.left * ratio), Math.round(frame.top * ratio));
  }

  /**
   * @param {Frame} frame
   * @param {d3.Scale} x
   * @param {d3.Scale} y
   */
  function drawChosen(frame, x, y) {
    const { context } = frame;
    const { plan } = look;
    for (const value of [look.value, look.hovered]) {
      for (const stay of value === NONE ? [] : plan.staysOf.get(value) ?? []) {
        const left = Math.max(frame.left, x(plan.first[stay]));
        const right = Math.min(frame.right, x(plan.last[stay] + 1));
        const top = y(plan.offset[stay] + plan.bytes[stay]);
        const height = Math.max(3, y(plan.offset[stay]) - top);
        if (right > left) {
          context.strokeStyle = colour('ground');
          context.lineWidth = 5;
          context.strokeRect(left, top, Math.max(3, right - left), height);
          context.strokeStyle = colour('lit');
          context.lineWidth = 2.5;
          context.strokeRect(left, top, Math.max(3, right - left), height);
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
    const { x, y } = scales(chart.frame());
    return look.plan.hit(Math.floor(x.invert(px)), y.invert(py));
  }

  return { chart, hit };
}
