// A canvas that is as sharp as the screen, follows its column's width, and is drawn at most once a frame.

import { h } from './dom.js';
import { colour, onTheme } from './theme.js';

/**
 * @typedef {object} Frame what there is to draw on, in CSS pixels; the plot lies within the margins
 * @property {CanvasRenderingContext2D} context
 * @property {number} ratio of the screen's pixels to CSS pixels
 * @property {number} width
 * @property {number} height
 * @property {number} left
 * @property {number} right
 * @property {number} top
 * @property {number} bottom
 */

/**
 * @typedef {object} PlotOptions
 * @property {string} label what it shows, for those who do not see it
 * @property {number} height
 * @property {number} [below] what it needs under the plot beyond its axis
 * @property {(frame: Frame) => void} draw
 */

const MARGIN = { left: 74, right: 14, top: 16, bottom: 40 };
const NARROW = 560;

/**
 * @typedef {object} Plot
 * @property {HTMLElement} element
 * @property {HTMLCanvasElement} canvas
 * @property {() => Frame} frame as it is now
 * @property {() => void} redraw in the next frame
 */

/**
 * @param {PlotOptions} options
 * @returns {Plot}
 */
export function plot(options) {
  const canvas = h('canvas', { tabindex: 0, role: 'img', 'aria-label': options.label });
  const element = h('div', { class: 'chart' }, canvas);
  let asked = 0;

  /** @returns {Frame} */
  function frame() {
    const width = element.clientWidth || 600;
    const ratio = window.devicePixelRatio || 1;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    return {
      context,
      ratio,
      width,
      height: options.height,
      left: width < NARROW ? 58 : MARGIN.left,
      right: width - MARGIN.right,
      top: MARGIN.top,
      bottom: options.height - MARGIN.bottom - (options.below ?? 0),
    };
  }

  function draw() {
    asked = 0;
    const now = frame();
    const wide = Math.round(now.width * now.ratio);
    const high = Math.round(now.height * now.ratio);
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
      canvas.style.height = `${now.height}px`;
    }
    now.context.setTransform(now.ratio, 0, 0, now.ratio, 0, 0);
    now.context.fillStyle = colour('panel');
    now.context.fillRect(0, 0, now.width, now.height);
    options.draw(now);
  }

  function redraw() {
    if (asked === 0) {
      asked = requestAnimationFrame(draw);
    }
  }

  new ResizeObserver(redraw).observe(element);
  onTheme(redraw);
  redraw();
  return { element, canvas, frame, redraw };
}
