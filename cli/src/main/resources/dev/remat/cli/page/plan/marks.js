// What the charts over steps mark alike: phases, the chosen step, and when the chosen tensors are in memory.

import { FONT } from '../axes.js';
import { drawLine } from '../strokes.js';
import { colour } from '../theme.js';
import { anyIn, stretches } from './condense.js';
import { NONE } from './look.js';

/** @typedef {import('../plot.js').Frame} Frame */
/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('./data.js').Plan} Plan */

/** Height of the strip of phases below a plot. */
export const STRIP = 13;
const LETTER = 14;
const ROUNDS = 17;
/** Between what a brace is about and what it says. */
const GAP = 6;

/**
 * Height of the braces below the strip; 0 where every step runs once.
 *
 * @param {Look} look
 */
export function roundsHeight(look) {
  return look.plan.sections.length > 0 ? ROUNDS : 0;
}

/**
 * A strip below a plot: forward, backward, update, and steps that compute something again; below it, what runs in
 * rounds.
 *
 * @param {Frame} frame
 * @param {d3.Scale} x
 * @param {Look} look
 */
export function drawPhases(frame, x, look) {
  const { context } = frame;
  const top = frame.bottom + 1;
  context.font = FONT;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const clamp = (/** @type {number} */ pixel) => Math.max(frame.left, Math.min(frame.right, pixel));
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
  const columns = Math.round(frame.right - frame.left);
  anyIn(look.plan.stepAgain, first, last, columns).forEach((again, column) => {
    if (again) {
      context.fillRect(frame.left + column, top + STRIP - 5, 1, 4);
    }
  });
  drawRounds(frame, x, look);
}

/**
 * Braces below the strip, with how often their steps run, and where the parts of the step meet.
 *
 * @param {Frame} frame
 * @param {d3.Scale} x
 * @param {Look} look
 */
function drawRounds(frame, x, look) {
  const { context } = frame;
  const top = frame.bottom + STRIP + 3;
  const middle = top + 7;
  for (const { name, from, to, times } of look.plan.sections) {
    const left = Math.max(frame.left, x(from));
    const right = Math.min(frame.right, x(to));
    if (right - left < 2) {
      continue;
    }
    context.fillStyle = colour('quiet');
    if (from > 0 && left > frame.left) {
      context.globalAlpha = 0.5;
      context.fillRect(Math.round(left), frame.top, 1, frame.bottom - frame.top + STRIP);
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
 * @param {Frame} frame
 * @param {d3.Scale} x
 * @param {Look} look
 */
export function drawStep(frame, x, look) {
  const at = Math.round(x(look.step + 0.5)) + 0.5;
  if (at >= frame.left && at <= frame.right) {
    const { context } = frame;
    context.fillStyle = colour('accent');
    // Thin, so that a peak of a single step is seen through it.
    context.globalAlpha = 0.45;
    context.fillRect(at - 0.5, frame.top, 1, frame.bottom - frame.top);
    context.globalAlpha = 1;
    context.beginPath();
    context.moveTo(at, frame.bottom + 1);
    context.lineTo(at - 5, frame.bottom + 10);
    context.lineTo(at + 5, frame.bottom + 10);
    context.fill();
  }
}

/**
 * Brackets above a plot over the steps at which the chosen and the hovered value are in memory, dashed where a copy
 * lies below the arena instead.
 *
 * @param {Frame} frame
 * @param {d3.Scale} x
 * @param {Look} look
 */
export function drawLives(frame, x, look) {
  const { context } = frame;
  const { plan } = look;
  for (const value of [look.value, look.hovered]) {
    const stays = value === NONE ? [] : plan.staysOf.get(value) ?? [];
    drawBelow(frame, x, look, value);
    for (const stay of stays) {
      const left = Math.max(frame.left, x(plan.first[stay]));
      const right = Math.min(frame.right, x(plan.last[stay] + 1));
      if (right >= left) {
        context.fillStyle = colour('lit');
        context.globalAlpha = 0.16;
        context.fillRect(left, frame.top, Math.max(1, right - left), frame.bottom - frame.top);
        context.globalAlpha = 1;
        context.fillRect(left, frame.top - 4, Math.max(2, right - left), 4);
        context.fillRect(left, frame.top - 4, 1, 9);
        context.fillRect(Math.max(left, right - 1), frame.top - 4, 1, 9);
      }
    }
  }
}

/**
 * A dashed line above a plot over the steps at which a copy of a value lies below the arena.
 *
 * @param {Frame} frame
 * @param {d3.Scale} x
 * @param {Look} look
 * @param {number} value
 */
function drawBelow(frame, x, { plan }, value) {
  plan.moves?.copyValue.forEach((copied, copy) => {
    const { copyFirst, copyLast } = /** @type {import('./moves.js').Moves} */ (plan.moves);
    const left = Math.max(frame.left, x(copyFirst[copy]));
    const right = Math.min(frame.right, x(copyLast[copy] + 1));
    if (copied === value && right > left) {
      drawLine(frame.context, [[left, frame.top - 7], [right, frame.top - 7]], colour('fetched'), 4, [6, 3]);
    }
  });
}
