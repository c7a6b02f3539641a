// Lanes by the clock: kernels, and beside them what is stored, fetched and exchanged, with the time in which no kernel
// runs.

import { drawBottomAxis, FONT } from '../axes.js';
import { decimal } from '../format.js';
import { plot } from '../plot.js';
import { colour } from '../theme.js';

/** @typedef {import('../plot.js').Frame} Frame */
/** @typedef {import('../range.js').Range} Range */
/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('./moves.js').Moves} Moves */
/** @typedef {Frame & { x: d3.Scale, moves: Moves }} Plane milliseconds in pixels of a frame, and what moves */

const ROW = 34;
const BAR = 24;
/** What a plot has above and below its rows. */
const AROUND = 56;
const NANOS_PER_MILLI = 1e6;

/**
 * @param {Look} look
 * @param {Range} range
 */
export function lanesPlot(look, range) {
  const places = Math.max(0, ...look.data.plans.map((plan) => plan.moves?.places.length ?? 0));
  const exchanges = look.exchangesAny ? 1 : 0;
  const rows = 1 + Math.max(1, 2 * places + exchanges);
  const chart = plot({ label: 'Lanes by the clock', height: AROUND + rows * ROW, draw });

  /**
   * From milliseconds to pixels: the steps that all charts show.
   *
   * @param {Frame} frame
   * @param {Moves} moves
   */
  function clock(frame, moves) {
    const [from, to] = range.scale(frame).domain();
    return d3.scaleLinear().domain([moves.time(from) / NANOS_PER_MILLI, moves.time(to) / NANOS_PER_MILLI])
      .range([frame.left, frame.right]);
  }

  /** @param {Frame} frame */
  function draw(frame) {
    const { moves } = look.plan;
    if (moves === null) {
      return;
    }
    const x = clock(frame, moves);
    const plane = { ...frame, x, moves };
    drawKernels(plane);
    moves.places.forEach(({ name }, place) => {
      drawLane(plane, place, 0, `→ ${name}`);
      drawLane(plane, place, 1, `← ${name}`);
    });
    if (exchanges > 0) {
      drawExchanges(plane);
    }
    const at = x((moves.begin[look.step] + moves.cost[look.step] / 2) / NANOS_PER_MILLI);
    if (at >= frame.left && at <= frame.right) {
      frame.context.fillStyle = colour('accent');
      frame.context.fillRect(Math.round(at), frame.top, 1, frame.bottom - frame.top);
    }
    drawBottomAxis(frame, x, 'ms', decimal);
  }

  /**
   * @param {Frame} frame
   * @param {number} row
   * @param {string} name
   */
  function drawName({ context, left, top }, row, name) {
    context.font = FONT;
    context.fillStyle = colour('quiet');
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillText(name, left - 6, top + row * ROW + BAR / 2);
    context.textAlign = 'left';
  }

  /**
   * A bar of a row, as far as it is seen.
   *
   * @param {Plane} plane
   * @param {number} row
   * @param {number} from nanoseconds
   * @param {number} to
   * @param {string} ink
   */
  function bar({ context, x, top, ...frame }, row, from, to, ink) {
    const left = Math.max(frame.left, x(from / NANOS_PER_MILLI));
    const right = Math.min(frame.right, x(to / NANOS_PER_MILLI));
    if (right > left) {
      context.fillStyle = ink;
      context.fillRect(left, top + row * ROW, Math.max(1, right - left), BAR);
      // What follows at once is told apart where there is room.
      if (right - left > 5) {
        context.fillStyle = colour('panel');
        context.fillRect(right - 1, top + row * ROW, 1, BAR);
      }
    }
  }

  /** @param {Plane} plane */
  function drawKernels(plane) {
    const { plan } = look;
    const { moves } = plane;
    drawName(plane, 0, 'kernels');
    for (let step = 0; step < plan.stepCount; step++) {
      const begin = moves.begin[step];
      bar(plane, 0, begin, begin + moves.cost[step], colour(plan.stepAgain[step] ? 'recomputed' : 'parameter'));
      bar(plane, 0, begin - moves.waits[step], begin, colour('mark'));
    }
    const last = plan.stepCount - 1;
    bar(plane, 0, moves.begin[last] + moves.cost[last], moves.end, colour('mark'));
  }

  /**
   * @param {Plane} plane
   * @param {number} row
   * @param {string} name
   */
  function drawTrack(plane, row, name) {
    const { context, left, right, top } = plane;
    drawName(plane, row, name);
    context.fillStyle = colour('faint');
    context.fillRect(left, top + row * ROW, right - left, BAR);
  }

  /** @param {Plane} plane */
  function drawExchanges(plane) {
    const row = 1 + 2 * plane.moves.places.length;
    drawTrack(plane, row, 'ranks');
    plane.moves.exchanges.forEach(({ step, from, to }) => {
      const value = look.plan.stepValue[step];
      const lit = value === look.value || value === look.hovered;
      bar(plane, row, from, to, colour(lit ? 'lit' : 'exchanged'));
    });
  }

  /**
   * @param {Plane} plane
   * @param {number} place
   * @param {number} fetches 1 or 0
   * @param {string} name
   */
  function drawLane(plane, place, fetches, name) {
    const { moves } = plane;
    const row = 1 + 2 * place + fetches;
    drawTrack(plane, row, name);
    const ink = colour(fetches ? 'fetched' : 'stored');
    moves.value.forEach((value, i) => {
      if (moves.place[i] === place && moves.fetches[i] === fetches) {
        const lit = value === look.value || value === look.hovered;
        bar(plane, row, moves.from[i], moves.to[i], lit ? colour('lit') : ink);
      }
    });
  }

  /**
   * The step at a point of the canvas, and the transfer and the exchange there, or -1.
   *
   * @param {number} px
   * @param {number} py
   */
  function hit(px, py) {
    const frame = chart.frame();
    const { moves } = look.plan;
    if (moves === null) {
      return { step: look.step, transfer: -1, exchange: -1 };
    }
    const time = clock(frame, moves).invert(px) * NANOS_PER_MILLI;
    const row = Math.floor((py - frame.top) / ROW);
    const lane = row - 1;
    const transfer = lane < 0 ? -1 : moves.hit(Math.floor(lane / 2), lane % 2, time);
    const exchange = lane === 2 * moves.places.length ? moves.exchangeAt(time) : -1;
    return { step: moves.step(time), transfer, exchange };
  }

  return { chart, hit };
}
