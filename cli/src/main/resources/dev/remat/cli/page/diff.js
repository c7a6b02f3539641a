// The page of a comparison: two plans at their peaks, and the tensors that they treat otherwise.

import { AT_PEAK, partsAtPeak, stateText } from './diff/compared.js';
import { h, replace } from './dom.js';
import { bytes, bytesChange, count, counted, decimal, modelTitle, percent } from './format.js';
import { legend, KINDS, pattern } from './kinds.js';
import { plot } from './plot.js';
import { FONT } from './axes.js';
import { fillPage } from './shell.js';
import { figures, table } from './table.js';
import { colour } from './theme.js';
import { byteTicks } from './ticks.js';
import { showTips } from './tooltip.js';

/** @typedef {import('./plot.js').Frame} Frame */

/** @typedef {import('./diff/compared.js').DiffFields} DiffFields */
/** @typedef {import('./diff/compared.js').PlanFields} PlanFields */
/** @typedef {import('./diff/compared.js').Sum} Sum */

/** @param {string} label of a kind */
const kindOf = (label) => KINDS.findIndex((kind) => kind.label === label);

/**
 * @param {DiffFields} diff
 * @param {HTMLElement} place
 */
export function show(diff, place) {
  const { a, b, sums } = diff;
  const shown = (/** @type {number} */ millis) => (millis === 0 ? '' : decimal(millis));
  const changes = table({
    name: 'changes',
    rows: diff.changes,
    sort: 'bytes',
    columns: [
      { name: 'Tensor', field: 'value', value: (c) => c.value, show: (c) => h('span', { class: 'name' }, c.value) },
      figures('Size', 'bytes', (c) => c.bytes, bytes),
      { name: 'A', field: 'a', value: (c) => stateText(c.a) },
      { name: 'B', field: 'b', value: (c) => stateText(c.b) },
      figures('Time in A, ms', 'aMillis', (c) => c.a?.millis ?? null, shown),
      figures('Time in B, ms', 'bMillis', (c) => c.b?.millis ?? null, shown),
      figures('B − A, ms', 'millis', (c) => c.millis, signed(decimal)),
    ],
  });
  const [first, second] = [modelTitle(a), modelTitle(b)];
  const name = first === second ? `${first}: two plans` : `${first} and ${second}`;
  fillPage(place, name, [
    h('p', { class: 'quiet' }, `A is planned ${how(a)}; B ${how(b)}.`
      + (a.modelHash === b.modelHash ? '' : ' The models differ; tensors are compared by name.')),
  ], [
    {
      id: 'peaks',
      title: 'Both at their peaks',
      hint: 'What is in memory where most is, by what it is for. Point at a part for its size in both.',
      content: [peaks(diff), legend(partsAtPeak(a).map((part) => kindOf(part.kind))), bothFigures(a, b)],
    },
    {
      id: 'changes',
      title: 'What is treated otherwise',
      hint: diff.changes.length === 0 ? 'Both keep and recompute the same tensors.'
        : `A alone keeps ${sum(sums.keptOnlyInA)}, B alone ${sum(sums.keptOnlyInB)}; the time of what they recompute`
          + ` differs by ${decimal(sums.recomputeMillis)} ms.`,
      content: [changes.element],
    },
  ]);
}

/** @param {(value: number) => string} text */
function signed(text) {
  return (/** @type {number} */ value) => (value > 0 ? `+${text(value)}` : text(value));
}

/** @param {Sum} sum */
function sum(sum) {
  return `${bytes(sum.bytes)} in ${counted(sum.tensors, 'tensor')}`;
}

/** @param {PlanFields} plan */
function how(plan) {
  return `for ${plan.target} by ${plan.strategy}`
    + (plan.budgetBytes === null ? ' without a budget' : ` within ${bytes(plan.budgetBytes)}`);
}

/** Signed, with both numbers. */
function bothFigures(/** @type {PlanFields} */ a, /** @type {PlanFields} */ b) {
  const size = (/** @type {keyof PlanFields} */ field, /** @type {string} */ name) => ({
    name, a: Number(a[field]), b: Number(b[field]), show: bytes, change: bytesChange,
  });
  const rows = [
    size('arenaBytes', 'Arena'),
    size('peakLiveBytes', 'Live at the peak'),
    ...AT_PEAK.map(([field, , name]) => size(field, `· ${name}`)),
    ...(a.estimatedMillis === null || b.estimatedMillis === null ? [] : [{
      name: 'Time of a step, ms', a: a.estimatedMillis, b: b.estimatedMillis, show: decimal, change: signed(decimal),
    }]),
    { name: 'Recomputed', a: a.overhead, b: b.overhead, show: percent, change: signed(percent) },
    { name: 'Kernels', a: a.kernels, b: b.kernels, show: count, change: signed(count) },
  ];
  return h('div', { class: 'table-frame', tabindex: 0, role: 'region', 'aria-label': 'Figures of both plans' },
    h('table', { class: 'sortable', id: 'figures' },
      h('thead', {}, h('tr', {}, ...['', 'A', 'B', 'B − A'].map((name, i) =>
        h('th', { scope: 'col', class: i > 0 && 'number' }, h('span', { class: 'head' }, name))))),
      h('tbody', {}, ...rows.map((row) => h('tr', {},
        h('th', { scope: 'row', class: 'row' }, row.name),
        h('td', { class: 'number', title: row.a }, row.show(row.a)),
        h('td', { class: 'number', title: row.b }, row.show(row.b)),
        h('td', { class: 'number', title: row.b - row.a }, row.change(row.b - row.a)))))));
}

/** Two bars, one below the other, from the same zero. */
function peaks(/** @type {DiffFields} */ diff) {
  const plans = [diff.a, diff.b];
  const names = ['A', 'B'];
  const most = Math.max(...plans.flatMap((plan) => [plan.arenaBytes, plan.peakLiveBytes, plan.budgetBytes ?? 0]));
  const detail = h('p', { role: 'status', class: 'detail' });
  let current = -1;

  /** @param {Frame} frame */
  const scale = (frame) => d3.scaleLinear().domain([0, most]).range([32, frame.right - 8]);
  const top = (/** @type {number} */ bar) => 26 + bar * 64;

  /** @param {Frame} frame */
  function draw(frame) {
    const { context } = frame;
    const x = scale(frame);
    context.font = FONT;
    for (const tick of byteTicks(most, Math.max(2, (frame.right - frame.left) / 110))) {
      context.fillStyle = colour('rule');
      context.fillRect(Math.round(x(tick)), 14, 1, frame.bottom - 8);
      context.fillStyle = colour('quiet');
      context.textAlign = tick === 0 ? 'left' : 'center';
      context.textBaseline = 'top';
      context.fillText(bytes(tick), x(tick), frame.bottom + 10);
    }
    plans.forEach((plan, bar) => {
      context.fillStyle = colour('ink');
      context.textAlign = 'left';
      context.textBaseline = 'middle';
      context.fillText(names[bar] ?? '', 10, top(bar) + 20);
      partsAtPeak(plan).forEach((part, index) => {
        context.fillStyle = pattern(context, kindOf(part.kind));
        context.fillRect(x(part.from), top(bar), x(part.from + part.size) - x(part.from), 40);
        if (index === current) {
          context.strokeStyle = colour('lit');
          context.lineWidth = 2;
          context.strokeRect(x(part.from), top(bar), x(part.from + part.size) - x(part.from), 40);
        }
      });
      if (plan.budgetBytes !== null) {
        context.fillStyle = colour('mark');
        context.fillRect(Math.round(x(plan.budgetBytes)), top(bar) - 8, 2, 56);
      }
    });
  }

  /** @param {number} index of a kind at the peaks */
  function choose(index) {
    current = index;
    replace(detail, ...text(index));
    chart.redraw();
  }

  /** @param {number} index */
  function text(index) {
    const [before, after] = plans.map((plan) => partsAtPeak(plan)[index]);
    return [h('strong', {}, before.name),
      `: ${count(before.size)} bytes (${bytes(before.size)}) in A, ${count(after.size)} (${bytes(after.size)}) in B, `
      + bytesChange(after.size - before.size)];
  }

  const chart = plot({
    label: 'What is in memory at the peaks of both plans; arrow keys go through what it is for',
    height: 190,
    draw,
  });
  showTips(chart.canvas, (event) => {
    const at = scale(chart.frame()).invert(event.offsetX);
    const plan = plans[event.offsetY < top(1) - 12 ? 0 : 1];
    const index = partsAtPeak(plan).findIndex((part) => at >= part.from && at < part.from + part.size);
    if (index < 0) {
      return [];
    }
    choose(index);
    return text(index);
  });
  chart.canvas.addEventListener('keydown', (event) => {
    const step = new Map([['ArrowLeft', -1], ['ArrowRight', 1]]).get(event.key);
    if (step !== undefined) {
      event.preventDefault();
      choose((Math.max(current, step > 0 ? -1 : 0) + step + AT_PEAK.length) % AT_PEAK.length);
    }
  });
  return h('div', {}, chart.element, detail);
}
