// A lane for each stage by the clock: visits and what is computed again in them, waits, and messages between lanes.

import { drawBottomAxis, FONT } from '../axes.js';
import { plot } from '../plot.js';
import { drawLine } from '../strokes.js';
import { colour } from '../theme.js';
import { concerns, RUNS, Stage } from './data.js';
import { shares } from './shares.js';

/** @typedef {import('../plot.js').Frame} Frame */
/** @typedef {import('./clock.js').Clock} Clock */
/** @typedef {import('./data.js').Message} Message */
/** @typedef {import('./data.js').Stretch} Stretch */
/** @typedef {import('./sight.js').Sight} Sight */
/** @typedef {Frame & { x: d3.Scale }} Plane nanoseconds in pixels of a frame */

/** Colours of {@link RUNS}. */
export const INKS = ['lane-forward', 'lane-backward', 'lane-weights', 'optimizer', 'lane-again', 'lane-waits'];
const BAR = 30;
const ROW = 52;
/** Height of what ranks exchange, below a lane. */
const STRIP = 5;
/** What a plot has above and below its rows. */
const AROUND = 56;
/** From this many pixels on stretches are told apart. */
const EDGED = 5;
/** Where more messages are seen, those of the chosen stretch are drawn alone. */
export const MOST_MESSAGES = 300;
const NANOS_PER_MILLI = 1e6;

/**
 * @param {Sight} sight
 * @param {Clock} clock
 */
export function stageLanes(sight, clock) {
  const { stages } = sight;
  const chart = plot({ label: 'Stages by the clock', height: AROUND + stages.length * ROW, draw });

  /** @param {Frame} frame */
  function draw(frame) {
    const plane = { ...frame, x: clock.scale(frame) };
    stages.forEach((stage) => drawLane(plane, stage));
    drawMessages(plane);
    drawChosen(plane);
    const unit = sight.data.time ? NANOS_PER_MILLI : 1;
    const [from, to] = plane.x.domain();
    const axis = d3.scaleLinear().domain([from / unit, to / unit]).range([frame.left, frame.right]);
    drawBottomAxis(frame, axis, sight.data.time ? 'ms' : 'units', axis.tickFormat(10));
  }

  /**
   * @param {Frame} frame
   * @param {number} stage
   */
  function top(frame, stage) {
    return frame.top + stage * ROW;
  }

  /**
   * @param {Plane} plane
   * @param {Stage} stage
   */
  function drawLane(plane, stage) {
    const { context, left, right, x } = plane;
    const high = top(plane, stage.number);
    context.font = FONT;
    context.fillStyle = colour('quiet');
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillText(`stage ${stage.number}`, left - 6, high + BAR / 2);
    context.textAlign = 'left';
    context.fillStyle = colour('faint');
    context.fillRect(left, high, right - left, BAR);
    const columns = Math.max(1, Math.round(right - left));
    const [from, to] = x.domain();
    const below = new Float32Array(columns);
    shares(stage.segments, RUNS.length, from, to, columns).forEach((part, kind) => {
      context.fillStyle = colour(INKS[kind]);
      for (let column = 0; column < columns; column++) {
        if (part[column] === 0) {
          continue;
        }
        const begin = column;
        // Columns that are all of one kind are one rectangle.
        while (part[column] === 1 && part[column + 1] === 1) {
          column++;
        }
        const height = part[column] * BAR;
        context.fillRect(left + begin, high + BAR - below[column] - height, column + 1 - begin, height);
        below[column] += height;
      }
    });
    drawMarks(plane, stage, high);
    context.fillStyle = colour('stored');
    stage.exchanges.begin.forEach((begin, i) => {
      const a = Math.max(left, x(begin));
      const b = Math.min(right, x(begin + stage.exchanges.span[i]));
      if (b > a) {
        context.fillRect(a, high + BAR + 2, Math.max(1, b - a - (b - a > EDGED ? 1 : 0)), STRIP);
      }
    });
  }

  /**
   * What stretches are, where there is room for it.
   *
   * @param {Plane} plane
   * @param {Stage} stage
   * @param {number} high
   */
  function drawMarks({ context, left, right, x }, stage, high) {
    const [from, to] = x.domain();
    for (let i = stage.stretchAt(from); i < stage.stretches.length && stage.stretches[i].begin < to; i++) {
      const { begin, end, visit } = stage.stretches[i];
      const a = Math.max(left, x(begin));
      const b = Math.min(right, x(end));
      if (b - a < EDGED) {
        continue;
      }
      context.fillStyle = colour('panel');
      context.fillRect(b - 1, high, 1, BAR);
      const mark = sight.visitMarks(stage, visit).find((each) => context.measureText(each).width <= b - a - 5);
      if (mark !== undefined) {
        context.fillStyle = colour('ink');
        context.fillText(mark, a + 3, high + BAR / 2);
      }
    }
  }

  /** @param {Plane} plane */
  function drawMessages(plane) {
    const [from, to] = plane.x.domain();
    const seen = sight.messages.filter((message) => message.sent <= to && message.arrived >= from);
    const { stretch } = sight;
    for (const message of seen) {
      const lit = stretch !== undefined && concerns(stretch, message);
      if (lit || seen.length <= MOST_MESSAGES) {
        drawMessage(plane, message, lit);
      }
    }
  }

  /**
   * From the lane that sends, when it has it, to the one that takes it, when it has arrived.
   *
   * @param {Plane} plane
   * @param {Message} message
   * @param {boolean} lit
   */
  function drawMessage(plane, { from, to, sent, arrived }, lit) {
    const { context, left, right, x } = plane;
    const down = to > from;
    const [y1, y2] = [top(plane, from) + (down ? BAR : 0), top(plane, to) + (down ? 0 : BAR)];
    const [x1, x2] = [x(sent), x(arrived)];
    context.save();
    context.beginPath();
    context.rect(left, plane.top, right - left, plane.bottom - plane.top);
    context.clip();
    drawLine(context, [[x1, y1], [x2, y2]], colour(lit ? 'lit' : 'exchanged'), lit ? 2 : 1);
    context.fillStyle = colour(lit ? 'lit' : 'exchanged');
    context.fillRect(x2 - 2, y2 - 2, 4, 4);
    context.restore();
  }

  /** @param {Plane} plane */
  function drawChosen(plane) {
    const { stretch } = sight;
    if (stretch === undefined) {
      return;
    }
    const left = Math.max(plane.left, plane.x(stretch.begin));
    const right = Math.min(plane.right, plane.x(stretch.end));
    if (right >= left) {
      plane.context.strokeStyle = colour('lit');
      plane.context.lineWidth = 2.5;
      plane.context.strokeRect(left, top(plane, stretch.stage) - 1, Math.max(3, right - left), BAR + 2);
    }
  }

  /**
   * The stage at a point of the canvas, the time there, and whether it is below the lane; null where there is none.
   *
   * @param {number} px
   * @param {number} py
   */
  function hit(px, py) {
    const frame = chart.frame();
    const stage = Math.floor((py - frame.top) / ROW);
    return px < frame.left || stage < 0 || stage >= stages.length ? null
      : { stage: stages[stage], time: clock.scale(frame).invert(px), below: py - top(frame, stage) > BAR };
  }

  return { chart, hit };
}
