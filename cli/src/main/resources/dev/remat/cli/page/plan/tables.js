// Tables of what a plan has: tensors, steps, and what is in memory at the chosen step.

import { h } from '../dom.js';
import { bytes, bytesChange } from '../format.js';
import { swatch } from '../kinds.js';
import { figures, table } from '../table.js';
import { movedBytes, waited } from './moves.js';
import { valueLink } from './why.js';

/** @typedef {import('./look.js').Look} Look */

/** @param {Look} look */
export function tensorTable(look) {
  const { values } = look;
  const time = (/** @type {number} */ cost) => look.time(cost);
  const shown = table({
    name: 'tensors',
    sort: 'bytes',
    isCurrent: (v) => v === look.value,
    columns: [
      { name: 'Tensor', field: 'value', value: (v) => values.name[v], show: (v) => valueLink(look, v) },
      figures('Bytes', 'bytes', (v) => values.size[v], bytes),
      { name: 'State', field: 'state', value: (v) => look.state(v) },
      { name: 'Reason', field: 'reason', value: (v) => look.plan.retained.get(v) ?? null },
      figures('Again', 'times', (v) => look.plan.recomputed.get(v)?.times ?? null),
      ...(look.movesAny ? [
        { name: 'Moved', field: 'movedBytes', value: (/** @type {number} */ v) => moved(v)?.bytes ?? null,
          show: (/** @type {number} */ v) => moved(v)?.text ?? '', number: true },
        figures('Waited for', 'exposed', (/** @type {number} */ v) => moved(v)?.exposed ?? null, time),
      ] : []),
      figures('Costs', 'cost', (v) => (values.cost[v] < 0 ? null : values.cost[v]), time),
      figures('Other decision: peak', 'pricePeakBytes', (v) => price(v)?.peakBytes ?? null, bytesChange),
      figures('and cost', 'priceCost', (v) => price(v)?.cost ?? null, time),
      { name: 'Op', field: 'op', value: (v) => values.op[v] },
      { name: 'Type', field: 'type', value: (v) => values.type[v] },
      { name: 'Made at', field: 'at', value: (v) => values.at[v], show: (v) => look.place(v) },
    ],
    rows: [...values.name.keys()],
  });

  /** @param {number} value */
  function price(value) {
    const found = look.plan.chosen ? look.prices.get(value) : undefined;
    return found === undefined || found.obstacle !== null ? undefined : found;
  }

  /**
   * What is fetched of a value, and how long kernels wait for it.
   *
   * @param {number} value
   */
  function moved(value) {
    const ways = look.plan.moves?.ways.get(value);
    if (ways === undefined) {
      return null;
    }
    const size = movedBytes(ways);
    return { bytes: size, text: `${bytes(size)}${ways.length > 1 ? ` in ${ways.length}` : ''}`, exposed: waited(ways) };
  }

  look.on(['plan', 'value'], shown.refresh);
  return [shown.element];
}

/** @param {Look} look */
export function stepTable(look) {
  const steps = () => [...Array(look.plan.stepCount).keys()];
  const shown = table({
    name: 'steps',
    isCurrent: (step) => step === look.step,
    columns: [
      { name: 'Step', field: 'step', value: (step) => step, number: true,
        show: (step) => h('button', { type: 'button', class: 'link', click: () => look.setStep(step) }, step) },
      { name: 'Computes', field: 'computes', value: (step) => look.stepName(step),
        show: (step) => valueLink(look, look.plan.stepValue[step]) },
      { name: 'Op', field: 'op', value: (step) => look.values.op[look.plan.stepValue[step]] },
      { name: 'Phase', field: 'phase', value: (step) => look.phase(step) },
      { name: 'Again', field: 'again', value: (step) => look.plan.stepAgain[step] === 1,
        show: (step) => (look.plan.stepAgain[step] ? 'again' : '') },
      ...(look.plan.sections.length === 0 ? [] : [
        figures('Times', 'times', (/** @type {number} */ step) => look.plan.stepTimes[step]),
      ]),
      figures('Takes', 'cost', (step) => look.plan.stepCost[step], (cost) => look.time(cost)),
      ...(look.movesAny || look.exchangesAny ? [
        figures('Waits', 'waits', (/** @type {number} */ step) => look.plan.moves?.waits[step] ?? 0,
          (waits) => (waits === 0 ? '' : look.time(waits))),
      ] : []),
      figures('In memory', 'liveBytes', (step) => look.plan.total[step], bytes),
      { name: 'Layer', field: 'layer', value: (step) => look.values.scope[look.plan.stepValue[step]] },
      { name: 'Made at', field: 'at', value: (step) => look.place(look.plan.stepValue[step]) },
    ],
    rows: steps(),
  });
  look.on(['plan'], () => shown.setRows(steps()));
  look.on(['step'], shown.refresh);
  return [shown.element];
}

/** @param {Look} look */
export function liveTable(look) {
  const { data } = look;
  const heading = h('p', { 'aria-live': 'polite' });
  const shown = table({
    name: 'in-memory-at-the-step',
    isCurrent: (stay) => look.plan.value[stay] === look.value,
    columns: [
      { name: 'Tensor', field: 'value', value: (stay) => nameOf(stay),
        show: (stay) => (look.plan.value[stay] < 0 ? nameOf(stay) : valueLink(look, look.plan.value[stay])) },
      { name: 'Kind', field: 'kind', value: (stay) => data.kinds[look.plan.kind[stay]],
        show: (stay) => h('span', { class: 'with-swatch' }, swatch(look.plan.kind[stay]),
          data.kinds[look.plan.kind[stay]]) },
      figures('Bytes', 'bytes', (stay) => look.plan.bytes[stay], bytes),
      figures('Offset', 'offset', (stay) => look.plan.offset[stay]),
      figures('First step', 'first', (stay) => look.plan.first[stay]),
      figures('Last step', 'last', (stay) => look.plan.last[stay]),
    ],
    rows: look.plan.at(look.step),
  });

  /** @param {number} stay */
  function nameOf(stay) {
    const value = look.plan.value[stay];
    return value < 0 ? 'scratch' : look.values.name[value] + (look.plan.again[stay] ? '′' : '');
  }

  function draw() {
    heading.textContent = `Step ${look.step}${look.step === look.plan.peakStep ? ', the peak' : ''}: `
      + `${look.stepName(look.step)}. Choose another in the charts or in the table of steps.`;
    shown.setRows(look.plan.at(look.step));
  }

  look.on(['plan', 'step'], draw);
  look.on(['value'], shown.refresh);
  draw();
  return [heading, shown.element];
}
