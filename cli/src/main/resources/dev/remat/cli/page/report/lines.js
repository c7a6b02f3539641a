// Values over the steps of runs, as lines; several charts show one range of steps and one cursor.

import { drawBottomAxis, drawLeftAxis, label } from '../axes.js';
import { extent, nearest } from './columns.js';
import { h } from '../dom.js';
import { count } from '../format.js';
import { plot } from '../plot.js';
import { drawMark, seriesColour, seriesDashes } from '../series.js';
import { drawLine } from '../strokes.js';
import { colour } from '../theme.js';
import { byteTicks } from '../ticks.js';
import { showTips } from '../tooltip.js';

/** @typedef {import('../plot.js').Frame} Frame */
/** @typedef {import('../range.js').Range} Range */

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {number} look index of its colour and dashes
 * @property {boolean} marked whether its points are marked, as those of few steps are
 * @property {number[]} steps ascending
 * @property {(number | null)[]} values null where a value is infinite or no number
 */

/**
 * @typedef {object} LinesOptions
 * @property {string} title
 * @property {Range} range of steps that is shown
 * @property {number} first step of the range
 * @property {Line[]} lines
 * @property {{ value: number, text: string, look: number }[]} levels lines across the chart
 * @property {(value: number) => string} text of a value
 * @property {boolean} bytes whether values are bytes, which begin at 0 and have ticks of their own
 * @property {() => boolean} log whether the scale is logarithmic, where all values allow that
 * @property {(step: number) => void} moved is told where the cursor is
 */

/** Share of the height that is left above and below. */
const ROOM = 0.08;

/** @param {LinesOptions} options */
export function linesChart(options) {
  const { range, lines } = options;

  /**
   * @param {Frame} frame
   * @param {d3.Scale} x
   */
  function leftScale(frame, x) {
    const [from, to] = x.domain().map((unit) => unit + options.first);
    const seen = lines.flatMap((line) => line.values.filter((_, i) => {
      const step = line.steps[i] ?? 0;
      return step >= (from ?? 0) - 1 && step <= (to ?? 0) + 1;
    }));
    const [least, greatest] = extent([...seen, ...options.levels.map((level) => level.value)]) ?? [0, 1];
    const isLog = options.log() && least > 0 && greatest > least;
    if (isLog) {
      const factor = (greatest / least) ** ROOM;
      return { y: d3.scaleLog().domain([least / factor, greatest * factor]).range([frame.bottom, frame.top]), isLog };
    }
    const room = (greatest - least) * ROOM || Math.abs(greatest) * 0.5 || 1;
    const zero = least >= 0 && (options.bytes || least - room < 0) ? 0 : least - room;
    return { y: d3.scaleLinear().domain([zero, greatest + room]).range([frame.bottom, frame.top]), isLog };
  }

  /** @param {Frame} frame */
  function draw(frame) {
    const { context } = frame;
    const x = range.scale(frame);
    const { y, isLog } = leftScale(frame, x);
    const wanted = Math.max(2, (frame.bottom - frame.top) / 36);
    const ticks = isLog ? thin(y.ticks(), wanted)
      : options.bytes ? byteTicks(y.domain()[1], wanted) : y.ticks(wanted);
    drawLeftAxis(frame, y, ticks, options.text);
    const shifted = d3.scaleLinear().domain(x.domain().map((unit) => unit + options.first - 0.5)).range(x.range());
    drawBottomAxis(frame, shifted, 'step', count, Number.isInteger);
    context.save();
    context.beginPath();
    context.rect(frame.left, 0, frame.right - frame.left, frame.bottom);
    context.clip();
    lines.forEach((line) => drawValues(frame, line, x, y));
    context.restore();
    options.levels.forEach(({ value, text, look }) => {
      drawLine(context, [[frame.left, y(value)], [frame.right, y(value)]], seriesColour(look), 1.5, [2, 4]);
      label(frame, text, frame.right - 4, y(value) - 9, seriesColour(look), 'right');
    });
    if (range.hasCursor) {
      context.fillStyle = colour('lit');
      context.fillRect(Math.round(x(range.cursor + 0.5)), frame.top, 1, frame.bottom - frame.top);
    }
  }

  /**
   * @param {Frame} frame
   * @param {Line} line
   * @param {d3.Scale} x
   * @param {d3.Scale} y
   */
  function drawValues(frame, line, x, y) {
    const { context } = frame;
    const at = (/** @type {number} */ i) => x((line.steps[i] ?? 0) - options.first + 0.5);
    drawLine(context, line.values.map((value, i) => (value === null ? null : [at(i), y(value)])),
      seriesColour(line.look), line.marked ? 1 : 1.8, line.marked ? [3, 3] : seriesDashes(line.look));
    const few = line.values.length * 12 < frame.right - frame.left;
    line.values.forEach((value, i) => {
      if (value === null) {
        cross(context, at(i), frame.top + 6);
      } else if (line.marked || few) {
        drawMark(context, line.look, at(i), y(value), line.marked ? 4.5 : 3);
      }
    });
  }

  /** @param {number} step */
  function told(step) {
    return lines.flatMap((line) => {
      const i = nearest(line.steps, step);
      const value = line.values[i];
      return i < 0 ? [] : [h('tr', {}, h('td', { class: 'name' }, line.name),
        h('td', { class: 'number' }, value === null || value === undefined ? 'no number' : exact(value)),
        h('td', { class: 'quiet' }, line.steps[i] === step ? '' : `step ${count(line.steps[i] ?? 0)}`))];
    });
  }

  const chart = plot({
    label: `${options.title} by step; arrow keys move the cursor`,
    height: 230,
    draw,
  });
  range.attach(chart);
  showTips(chart.canvas, (event) => {
    const unit = Math.floor(range.scale(chart.frame()).invert(event.offsetX));
    range.cursor = Math.max(0, Math.min(range.count - 1, unit));
    range.hasCursor = true;
    const step = range.cursor + options.first;
    options.moved(step);
    range.redraw();
    return [h('strong', {}, `step ${count(step)}`), h('table', {}, ...told(step))];
  });
  chart.canvas.addEventListener('keydown', (event) => {
    if (range.key(event)) {
      options.moved(range.cursor + options.first);
    }
  });
  return chart.element;
}

/**
 * All its digits; those of 32 bits as they are logged.
 *
 * @param {number} value
 */
export function exact(value) {
  return String(value).replace(/^-/, '−');
}

/**
 * Not many more than wanted, evenly.
 *
 * @param {number[]} ticks
 * @param {number} wanted
 */
function thin(ticks, wanted) {
  const by = Math.max(1, Math.ceil(ticks.length / wanted));
  return ticks.filter((_, i) => i % by === 0);
}

/**
 * Where a value is no number.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 */
function cross(context, x, y) {
  drawLine(context, [[x - 4, y - 4], [x + 4, y + 4], null, [x + 4, y - 4], [x - 4, y + 4]], colour('mark'), 2);
}
