// The arena of each stage by the clock: a rectangle for every buffer, on one scale of bytes for all stages.

import { drawBottomAxis, drawByteAxis, drawLevel } from '../axes.js';
import { bytes, count } from '../format.js';
import { h } from '../dom.js';
import { KINDS, shade, swatch } from '../kinds.js';
import { raster } from '../plan/arena.js';
import { plot } from '../plot.js';
import { colour } from '../theme.js';
import { showTips } from '../tooltip.js';

/** @typedef {import('../dom.js').Child} Child */
/** @typedef {import('../plot.js').Frame} Frame */
/** @typedef {import('./clock.js').Clock} Clock */
/** @typedef {import('./data.js').Stage} Stage */
/** @typedef {import('./sight.js').Sight} Sight */

const HEIGHT = 170;
const ABOVE = 1.15;
const NANOS_PER_MILLI = 1e6;

/**
 * @param {Sight} sight
 * @param {Clock} clock
 * @param {Stage} stage
 */
export function stageArena(sight, clock, stage) {
  const most = Math.max(1, ...sight.sums.stages.map((each) => each.arenaBytes)) * ABOVE;
  const own = sight.sums.stages[stage.number].arenaBytes;
  const chart = plot({ label: `The arena of stage ${stage.number}`, height: HEIGHT, draw });
  showTips(chart.canvas, (event) => {
    const { x, y } = plane(chart.frame());
    const time = x.invert(event.offsetX);
    const stay = stage.hit(time, y.invert(event.offsetY));
    return stay < 0 ? [`stage ${stage.number} at ${sight.time(time)}: free`] : stayText(stay);
  });
  /** @type {ImageData | null} */
  let image = null;

  /** @param {Frame} frame */
  function plane(frame) {
    return { ...frame, x: clock.scale(frame), y: d3.scaleLinear().domain([0, most]).range([frame.bottom, frame.top]) };
  }

  /** @param {Frame} frame */
  function draw(frame) {
    const { context, ratio, left, right, top, bottom, x, y } = plane(frame);
    drawByteAxis(frame, y);
    const width = Math.round((right - left) * ratio);
    const height = Math.round((bottom - top) * ratio);
    if (image === null || image.width !== width || image.height !== height) {
      image = context.createImageData(width, height);
    }
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(shade(colour('faint'), 0));
    const kx = (x(1) - x(0)) * ratio;
    const ky = (y(1) - y(0)) * ratio;
    raster(pixels, width, height, { ...stage, kind: stage.stayKind },
      { x0: (x(0) - left) * ratio, kx, y0: (y(0) - top) * ratio, ky });
    context.putImageData(image, Math.round(left * ratio), Math.round(top * ratio));
    drawLevel(frame, y(own), `stage ${stage.number}: ${bytes(own)}`, colour('ink'), []);
    drawChosen(frame);
    const unit = sight.data.time ? NANOS_PER_MILLI : 1;
    const [from, to] = x.domain();
    const axis = d3.scaleLinear().domain([from / unit, to / unit]).range([left, right]);
    drawBottomAxis(frame, axis, sight.data.time ? 'ms' : 'units', axis.tickFormat(10));
  }

  /** @param {Frame} frame */
  function drawChosen(frame) {
    const { stretch } = sight;
    if (stretch === undefined) {
      return;
    }
    const { context, left, right, top, bottom, x } = plane(frame);
    const from = Math.max(left, x(stretch.begin));
    const to = Math.min(right, x(stretch.end));
    if (to >= from) {
      context.fillStyle = colour('lit');
      context.globalAlpha = 0.16;
      context.fillRect(from, top, Math.max(1, to - from), bottom - top);
      context.globalAlpha = 1;
      context.fillRect(from, top - 4, Math.max(2, to - from), stretch.stage === stage.number ? 4 : 1);
    }
  }

  /**
   * @param {number} stay
   * @returns {Child[]}
   */
  function stayText(stay) {
    const kind = stage.stayKind[stay];
    return [
      h('div', { class: 'name' }, stage.stayName[stay] ?? `scratch of ${stage.name(stage.stayFirst[stay])}`),
      h('div', {}, swatch(kind), ` ${KINDS[kind].label}, ${bytes(stage.bytes[stay])}`),
      h('div', { class: 'quiet' }, `from ${sight.time(stage.first[stay])} to ${sight.time(stage.last[stay])}, byte `
        + count(stage.offset[stay])),
    ];
  }

  return chart;
}
