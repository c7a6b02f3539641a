// What the charts of bytes over steps have alike: axes, phases, the chosen step, and when the chosen tensors are there.

import { drawBottomAxis, drawByteAxis, FONT } from '../axes.js';
import { plot } from '../plot.js';
import { drawLine } from '../strokes.js';
import { colour } from '../theme.js';
import { anyIn, stretches } from './condense.js';
import { NONE } from './look.js';

/** @typedef {import('../plot.js').Frame} Frame */
/** @typedef {import('../range.js').Range} Range */
/** @typedef {Frame & { x: d3.Scale, y: d3.Scale }} Plane steps and bytes in pixels of a frame */
/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('./data.js').Plan} Plan */

/** Height of the strip of phases below a plot. */
const STRIP = 13;
const LETTER = 14;
const ROUNDS = 17;
/** Between what a brace is about and what it says. */
const GAP = 6;

/**
 * @typedef {object} StepsOptions
 * @property {string} label what it shows, for those who do not see it
 * @property {number} height
 * @property {() => number} most bytes that it shows
 * @property {(plane: Plane) => void} drawBytes
 * @property {(plane: Plane) => void} [drawLevels] over the bytes and the phases
 * @property {(plane: Plane) => void} [drawChosen] over all but the step
 */

/**
 * A plot of bytes over the steps.
 *
 * @param {Look} look
 * @param {Range} range
 * @param {StepsOptions} options
 */
export function stepsPlot(look, range, { label, height, most, drawBytes, drawLevels, drawChosen }) {
  // Height of the braces below the strip; 0 where every step runs once.
  const rounds = () => (look.plan.sections.length > 0 ? ROUNDS : 0);
  const chart = plot({ label, height, below: rounds(), draw });

  /**
   * @param {Frame} frame
   * @returns {Plane}
   */
  function plane(frame) {
    const y = d3.scaleLinear().domain([0, most()]).range([frame.bottom, frame.top]);
    return { ...frame, x: range.scale(frame), y };
  }

  /** @param {Frame} frame */
  function draw(frame) {
    const at = plane(frame);
    drawByteAxis(at, at.y);
    drawBytes(at);
    drawPhases(at, look);
    drawLevels?.(at);
    drawLives(at, look);
    drawChosen?.(at);
    drawStep(at, look);
    drawBottomAxis({ ...frame, bottom: frame.bottom + STRIP + rounds() }, at.x, 'step', String, Number.isInteger);
  }

  return { chart, plane: () => plane(chart.frame()) };
}

/**
 * A strip below a plot: forward, backward, update, and steps that compute something again; below it, what runs in
 * rounds.
 *
 * @param {Plane} plane
 * @param {Look} look
 */
function drawPhases(plane, look) {
  const { context, x } = plane;
  const top = plane.bottom + 1;
  context.font = FONT;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const clamp = (/** @type {number} */ pixel) => Math.max(plane.left, Math.min(plane.right, pixel));
  const all = phasesOf(look);
  for (const { phase, from, to } of all) {
    const left = clamp(x(from));
    const width = clamp(x(to)) - left;
    if (width > 0) {
      context.fillStyle = colour(phase);
      context.fillRect(left, top, width, STRIP - 1);
      context.fillStyle = colour('ink');
      const text = width > context.measureText(phase).width + 8 ? phase : width > LETTER ? phase[0] : '';
      context.fillText(text, left + 4, top + STRIP / 2 + 1);
    }
  }
  context.fillStyle = colour('recomputed');
  const [first, last] = x.domain();
  const columns = Math.round(plane.right - plane.left);
  anyIn(look.plan.stepAgain, first, last, columns).forEach((again, column) => {
    if (again) {
      context.fillRect(plane.left + column, top + STRIP - 5, 1, 4);
    }
  });
  drawRounds(plane, look);
}

/**
 * Braces below the strip, with how often their steps run, and where the parts of the step meet.
 *
 * @param {Plane} plane
 * @param {Look} look
 */
function drawRounds(plane, look) {
  const { context, x } = plane;
  const top = plane.bottom + STRIP + 3;
  const middle = top + 7;
  for (const { name, from, to, times } of look.plan.sections) {
    const left = Math.max(plane.left, x(from));
    const right = Math.min(plane.right, x(to));
    if (right - left < 2) {
      continue;
    }
    context.fillStyle = colour('quiet');
    if (from > 0 && left > plane.left) {
      context.globalAlpha = 0.5;
      context.fillRect(Math.round(left), plane.top, 1, plane.bottom - plane.top + STRIP);
      context.globalAlpha = 1;
    }
    const space = right - left - 2 * GAP;
    const texts = times > 1 ? [`${name} × ${times}`, `× ${times}`, `×${times}`] : [name];
    const text = texts.find((each) => context.measureText(each).width <= space) ?? '';
    const width = text === '' ? 0 : context.measureText(text).width + 2 * GAP;
    context.textAlign = 'center';
    context.fillText(text, (left + right) / 2, middle);
    context.textAlign = 'left';
    if (times > 1) {
      const arm = Math.max(0, (right - left - width) / 2 - 1);
      context.fillRect(left + 1, top, 1, 7);
      context.fillRect(left + 1, middle, arm, 1);
      context.fillRect(right - 2, top, 1, 7);
      context.fillRect(right - 1 - arm, middle, arm, 1);
    }
  }
}

/** @type {WeakMap<Plan, ReturnType<typeof stretches>>} */
const known = new WeakMap();

/** @param {Look} look */
function phasesOf(look) {
  const { plan } = look;
  const all = known.get(plan)
    ?? stretches(plan.stepCount, (step) => look.phase(step), (step) => plan.stepAgain[step] === 1);
  known.set(plan, all);
  return all;
}

/**
 * @param {Plane} plane
 * @param {Look} look
 */
function drawStep(plane, look) {
  const { context, x } = plane;
  const at = Math.round(x(look.step + 0.5)) + 0.5;
  if (at >= plane.left && at <= plane.right) {
    context.fillStyle = colour('accent');
    // Thin, so that a peak of a single step is seen through it.
    context.globalAlpha = 0.45;
    context.fillRect(at - 0.5, plane.top, 1, plane.bottom - plane.top);
    context.globalAlpha = 1;
    context.beginPath();
    context.moveTo(at, plane.bottom + 1);
    context.lineTo(at - 5, plane.bottom + 10);
    context.lineTo(at + 5, plane.bottom + 10);
    context.fill();
  }
}

/**
 * Brackets above a plot over the steps at which the chosen and the hovered value are in memory, dashed where a copy
 * lies below the arena instead.
 *
 * @param {Plane} plane
 * @param {Look} look
 */
function drawLives(plane, look) {
  const { context, x } = plane;
  const { plan } = look;
  for (const value of [look.value, look.hovered]) {
    const stays = value === NONE ? [] : plan.staysOf.get(value) ?? [];
    drawBelow(plane, look, value);
    for (const stay of stays) {
      const left = Math.max(plane.left, x(plan.first[stay]));
      const right = Math.min(plane.right, x(plan.last[stay] + 1));
      if (right >= left) {
        context.fillStyle = colour('lit');
        context.globalAlpha = 0.16;
        context.fillRect(left, plane.top, Math.max(1, right - left), plane.bottom - plane.top);
        context.globalAlpha = 1;
        context.fillRect(left, plane.top - 4, Math.max(2, right - left), 4);
        context.fillRect(left, plane.top - 4, 1, 9);
        context.fillRect(Math.max(left, right - 1), plane.top - 4, 1, 9);
      }
    }
  }
}

/**
 * A dashed line above a plot over the steps at which a copy of a value lies below the arena.
 *
 * @param {Plane} plane
 * @param {Look} look
 * @param {number} value
 */
function drawBelow(plane, { plan }, value) {
  const { context, x } = plane;
  plan.moves?.copyValue.forEach((copied, copy) => {
    const { copyFirst, copyLast } = /** @type {import('./moves.js').Moves} */ (plan.moves);
    const left = Math.max(plane.left, x(copyFirst[copy]));
    const right = Math.min(plane.right, x(copyLast[copy] + 1));
    if (copied === value && right > left) {
      drawLine(context, [[left, plane.top - 7], [right, plane.top - 7]], colour('fetched'), 4, [6, 3]);
    }
  });
}
