// What other budgets would do: a slider over plans, and what each would let go next.

import { h, replace } from '../dom.js';
import { bytes, bytesChange, percent } from '../format.js';
import { figures, table } from '../table.js';
import { valueLink } from './why.js';

/** @typedef {import('./look.js').Look} Look */

/**
 * A plan in a few words.
 *
 * @param {Look} look
 * @param {number} index
 */
function planText(look, index) {
  const { sums, chosen } = look.data.plans[index];
  const extra = look.movesAny ? 'overhead' : 'recomputed';
  return `${bytes(sums.memory.arenaBytes)} arena, ${percent(sums.compute.overhead)} ${extra}, by ${sums.strategy}`
    + `${chosen ? ' — the plan that was asked for' : ''}`;
}

/** @param {Look} look */
export function budgetSlider(look) {
  const { plans } = look.data;
  if (plans.length < 2) {
    return null;
  }
  const last = plans.length - 1;
  const ticks = h('datalist', { id: 'budgets' }, ...plans.map((_, i) => h('option', { value: i })));
  const slider = h('input', {
    type: 'range',
    id: 'budget',
    min: 0,
    max: last,
    step: 1,
    list: 'budgets',
    value: last - look.index,
    // The smallest plan is on the left.
    input: () => look.setPlan(last - Number(slider.value)),
  });
  const words = h('output', { for: 'budget', 'data-plan': 'words' });
  const back = h('button', { type: 'button', click: () => look.setPlan(look.chosen) }, 'The plan asked for');

  function draw() {
    slider.value = String(last - look.index);
    slider.setAttribute('aria-valuetext', planText(look, look.index));
    words.textContent = planText(look, look.index);
    back.disabled = look.index === look.chosen;
  }

  look.on(['plan'], draw);
  draw();
  return h('div', { class: 'budget' },
    h('label', { for: 'budget' }, 'What if the budget were smaller or larger?'),
    h('div', { class: 'bar' }, h('span', { class: 'quiet' }, bytes(plans[last].sums.memory.arenaBytes)), slider, ticks,
      h('span', { class: 'quiet' }, bytes(plans[0].sums.memory.arenaBytes)), back),
    h('p', {}, words));
}

/** @param {Look} look */
export function reliefTable(look) {
  const first = h('p', { 'data-relief': 'next' });
  const time = (/** @type {number} */ cost) => look.time(cost);
  const rows = table({
    name: 'next-to-let-go',
    columns: [
      { name: 'Tensor', field: 'value', value: (row) => look.values.name[row.value],
        show: (row) => valueLink(look, row.value) },
      figures('Peak', 'peakBytes', (row) => row.peakBytes, bytesChange),
      figures('Costs', 'cost', (row) => row.cost, time),
      figures('Per GiB', 'costOfGiB', (row) => (row.cost / -row.peakBytes) * 2 ** 30, time),
      { name: 'Made at', field: 'at', value: (row) => look.place(row.value) },
    ],
    rows: look.plan.reliefs,
  });
  function draw() {
    const [next] = look.plan.reliefs;
    replace(first, next === undefined
      ? 'No single tensor lowers the peak if it is let go.'
      : h('span', {}, 'Next: drop ', valueLink(look, next.value), `, ${bytes(-next.peakBytes)} less at the peak for `
        + `${look.time(next.cost)} more.`));
    rows.setRows(look.plan.reliefs);
  }
  look.on(['plan'], draw);
  draw();
  return [first, rows.element];
}
