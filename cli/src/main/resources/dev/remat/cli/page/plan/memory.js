// Memory over the step: live bytes by kind, stacked, with what bounds them and where they peak.

import { drawLevel, label } from '../axes.js';
import { bytes } from '../format.js';
import { pattern } from '../kinds.js';
import { colour } from '../theme.js';
import { fullest } from './condense.js';
import { stepsPlot } from './marks.js';

/** @typedef {import('../range.js').Range} Range */
/** @typedef {import('./data.js').Plan} Plan */
/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('./marks.js').Plane} Plane */

/** A line this much above the peak would leave no room for what lies below. */
const TOO_HIGH = 2.2;
const ABOVE = 1.12;

/**
 * The highest that a chart of a plan shows.
 *
 * @param {Plan} plan
 */
export function top(plan) {
  const { memory, budgetBytes } = plan.sums;
  const levels = [memory.peakLiveBytes, memory.keepAllArenaBytes, budgetBytes ?? 0];
  return Math.max(1, ...levels.filter((level) => level <= TOO_HIGH * memory.peakLiveBytes)) * ABOVE;
}

/**
 * @param {Look} look
 * @param {Range} range
 */
export function memoryPlot(look, range) {
  const most = () => top(look.plan);
  return stepsPlot(look, range, { label: 'Memory over the step', height: 330, most, drawBytes, drawLevels }).chart;

  /** @param {Plane} plane */
  function drawBytes({ context, x, y, ...frame }) {
    const { plan } = look;
    const columns = Math.max(1, Math.round(frame.right - frame.left));
    const [from, to] = x.domain();
    const steps = fullest(plan.total, from, to, columns);
    const below = new Float64Array(columns);
    plan.live.forEach((live, kind) => {
      let any = false;
      context.beginPath();
      context.moveTo(frame.left, y(below[0]));
      for (let i = 0; i < columns; i++) {
        const high = below[i] + live[steps[i]];
        any ||= live[steps[i]] > 0;
        context.lineTo(frame.left + i, y(high));
        context.lineTo(frame.left + i + 1, y(high));
      }
      for (let i = columns - 1; i >= 0; i--) {
        context.lineTo(frame.left + i + 1, y(below[i]));
        context.lineTo(frame.left + i, y(below[i]));
        below[i] += live[steps[i]];
      }
      if (any) {
        context.fillStyle = pattern(context, kind);
        context.fill();
      }
    });
  }

  /** @param {Plane} frame */
  function drawLevels(frame) {
    const { plan } = look;
    const { x, y } = frame;
    const { memory, budgetBytes } = plan.sums;
    const [, most] = y.domain();
    const keepAll = memory.keepAllArenaBytes;
    // Away from the name of the peak.
    const side = x(plan.peakStep) > (frame.left + frame.right) / 2 ? 'left' : 'right';
    if (keepAll <= most) {
      drawLevel(frame, y(keepAll), `keeping all ${bytes(keepAll)}`, colour('quiet'), [2, 3], true, side);
    } else {
      const at = side === 'right' ? frame.right - 4 : frame.left + 4;
      label(frame, `keeping all ${bytes(keepAll)} ↑`, at, frame.top + 2, colour('quiet'), side);
    }
    if (budgetBytes !== null && budgetBytes <= most && budgetBytes !== keepAll) {
      drawLevel(frame, y(budgetBytes), `budget ${bytes(budgetBytes)}`, colour('mark'), [7, 4], false, side);
    }
    drawPeak(frame);
  }

  /** @param {Plane} frame */
  function drawPeak(frame) {
    const { plan } = look;
    const { context, x, y } = frame;
    const [from, to] = x.domain();
    const at = x(plan.peakStep + 0.5);
    if (plan.peakStep + 1 < from || plan.peakStep > to) {
      return;
    }
    const high = y(plan.total[plan.peakStep]);
    context.fillStyle = colour('ink');
    context.beginPath();
    context.moveTo(at, high - 1);
    context.lineTo(at - 6, high - 11);
    context.lineTo(at + 6, high - 11);
    context.fill();
    const text = `peak ${bytes(plan.total[plan.peakStep])}: ${look.stepName(plan.peakStep)}`;
    const left = at > (frame.left + frame.right) / 2;
    // Above the name of a budget that the peak reaches.
    const above = Math.max(frame.top, high - 27);
    label(frame, text, left ? at - 10 : at + 10, above, colour('ink'), left ? 'right' : 'left');
  }
}
