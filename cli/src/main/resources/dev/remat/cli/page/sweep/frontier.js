// Plans as marks over memory and recomputation, with the line of those that none beats.

import { drawBottomAxis, drawLeftAxis, label } from '../axes.js';
import { h } from '../dom.js';
import { bytes, percent } from '../format.js';
import { plot } from '../plot.js';
import { drawMark, markAt } from '../series.js';
import { drawLine, drawRing } from '../strokes.js';
import { colour } from '../theme.js';
import { byteTicks } from '../ticks.js';
import { showTips } from '../tooltip.js';

/** @typedef {import('./plans.js').Point} Point */
/** @typedef {import('../plot.js').Frame} Frame */
/** @typedef {import('../strokes.js').Corner} Corner */
/** @typedef {import('../dom.js').Child} Child */

/**
 * @typedef {object} FrontierOptions
 * @property {Point[]} points the largest first
 * @property {number} keepAllBytes
 * @property {number} floorBytes
 * @property {{ bytes: number, overhead: number | null }[]} bounds what every plan of at most so many bytes recomputes
 * @property {string} measure what bytes are of
 * @property {(point: Point) => Child[]} describe
 * @property {(point: Point) => void} chosen is called when a point is pointed at
 */

/** @param {FrontierOptions} options */
export function frontierChart(options) {
  const { points } = options;
  let all = true;
  let current = -1;

  const frontierOnly = h('button', {
    type: 'button',
    'aria-pressed': 'false',
    click: () => {
      all = !all;
      frontierOnly.setAttribute('aria-pressed', String(!all));
      if (!all && current >= 0 && !points[current]?.onFrontier) {
        current = -1;
      }
      chart.redraw();
    },
  }, 'Frontier only');

  const shown = () => (all ? points : points.filter((point) => point.onFrontier));

  /** @param {Frame} frame */
  function scales(frame) {
    const most = Math.max(options.keepAllBytes, ...points.map((point) => point.bytes));
    const room = (most - options.floorBytes || most) * 0.06;
    const least = Math.max(0, options.floorBytes - room);
    const x = d3.scaleLinear().domain([least, most + room]).range([frame.left, frame.right]);
    const marks = Math.max(3, (frame.right - frame.left) / 110);
    x.ticks = () => byteTicks(most + room, (marks * (most + room)) / (most + room - least)).filter((t) => t >= least);
    const highest = Math.max(0.01, ...shown().map((point) => point.overhead));
    const y = d3.scaleLinear().domain([0, highest * 1.1]).range([frame.bottom, frame.top]);
    return { x, y };
  }

  /** @param {Frame} frame */
  function draw(frame) {
    const { context } = frame;
    const { x, y } = scales(frame);
    drawLeftAxis(frame, y, y.ticks(Math.max(2, (frame.bottom - frame.top) / 40)), percent);
    drawBottomAxis(frame, x, '', bytes);
    upright(frame, x(options.floorBytes), 'floor', colour('mark'), 'left');
    upright(frame, x(options.keepAllBytes), 'keeping all', colour('quiet'), 'right');
    drawBounds({ context, x, y });
    const line = points.filter((point) => point.onFrontier);
    // Between two plans the smaller one's budget is not reached, so that the larger one's recomputation holds.
    drawLine(context, line.flatMap((point, i) => [line[Math.max(0, i - 1)], point].map(
      (from) => /** @type {[number, number]} */ ([x(from.bytes), y(point.overhead)]))), colour('ink'), 1.5);
    for (const point of shown()) {
      drawMark(context, point.series, x(point.bytes), y(point.overhead), point.onFrontier ? 6 : 4.5);
      if (point.proven) {
        drawRing(context, x(point.bytes), y(point.overhead), 9, colour('ink'));
      }
    }
    const chosen = points[current];
    if (chosen) {
      drawRing(context, x(chosen.bytes), y(chosen.overhead), 12, colour('accent'));
    }
  }

  /** @param {{ context: CanvasRenderingContext2D, x: d3.Scale, y: d3.Scale }} plane */
  function drawBounds({ context, x, y }) {
    const [, highest] = y.domain();
    const known = options.bounds.filter((bound) => bound.overhead !== null).sort((a, b) => a.bytes - b.bytes);
    drawLine(context, known.flatMap(({ bytes: to, overhead }, i) => {
      const at = y(overhead ?? 0);
      // A bound above the plot is one of budgets that no plan here fits.
      return (overhead ?? 0) > highest ? []
        : /** @type {Corner[]} */ ([[x(known[i - 1]?.bytes ?? options.floorBytes), at], [x(to), at], null]);
    }), colour('mark'), 1.5, [2, 3]);
  }

  /** @param {number} index */
  function choose(index) {
    current = index;
    const point = points[index];
    if (point) {
      options.chosen(point);
    }
    chart.redraw();
  }

  /** @param {PointerEvent} event */
  function told(event) {
    const { x, y } = scales(chart.frame());
    const found = shown()[markAt(event, shown().map((each) => [x(each.bytes), y(each.overhead)]))];
    if (found === undefined) {
      return [];
    }
    choose(points.indexOf(found));
    return options.describe(found);
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const steps = new Map([['ArrowLeft', 1], ['ArrowRight', -1], ['Home', -points.length], ['End', points.length]]);
    const step = steps.get(event.key);
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    event.preventDefault();
    const open = shown();
    const at = current < 0 ? (step > 0 ? -1 : open.length) : open.indexOf(/** @type {Point} */ (points[current]));
    const goal = open[Math.max(0, Math.min(open.length - 1, at + step))];
    if (goal) {
      choose(points.indexOf(goal));
    }
  }

  const chart = plot({
    label: `Memory (${options.measure}) against recomputation of ${points.length} plans; arrow keys go through them`,
    height: 420,
    draw,
  });
  chart.canvas.addEventListener('pointerdown', showTips(chart.canvas, told));
  chart.canvas.addEventListener('keydown', key);
  return { element: chart.element, controls: h('div', { class: 'bar' }, frontierOnly) };
}

/**
 * @param {Frame} frame
 * @param {number} x
 * @param {string} text
 * @param {string} ink
 * @param {'left' | 'right'} align
 */
function upright(frame, x, text, ink, align) {
  const at = Math.round(x) + 0.5;
  drawLine(frame.context, [[at, frame.top], [at, frame.bottom]], ink, 1.5, [6, 4]);
  label(frame, text, align === 'left' ? x + 6 : x - 6, frame.top + 8, ink, align);
}
