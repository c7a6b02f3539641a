// The charts over the step, with one range, one cursor and one tensor that is lit up in all.

import { h, replace } from '../dom.js';
import { bytes, count } from '../format.js';
import { KINDS, legend, swatch } from '../kinds.js';
import { Range } from '../range.js';
import { hideTip, showTip } from '../tooltip.js';
import { arenaPlot } from './arena.js';
import { belowPlot, placeSwatch } from './below.js';
import { lanesPlot } from './lanes.js';
import { exchangeText, laneKey, transferText, waitsText } from './lanetext.js';
import { NONE } from './look.js';
import { memoryPlot } from './memory.js';

/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('../plot.js').Plot} Plot */
/** @typedef {import('../dom.js').Child} Child */

/** How far a pointer may move between press and release of a click, in pixels. */
const STILL = 4;

/**
 * A step in words.
 *
 * @param {Look} look
 * @param {number} step
 */
export function stepText(look, step) {
  const { plan, values } = look;
  const value = plan.stepValue[step];
  const times = plan.stepTimes[step] > 1 ? `, ${plan.stepTimes[step]} times` : '';
  return `step ${step} of ${plan.stepCount}, ${look.phase(step)}${plan.stepAgain[step] ? ', again' : ''}${times}: `
    + `${look.stepName(step)} by ${values.op[value]} in ${look.time(plan.stepCost[step])}, `
    + `${bytes(plan.total[step])} in memory`;
}

/**
 * What is in memory at a step, by kind.
 *
 * @param {Look} look
 * @param {number} step
 */
function kindsTable(look, step) {
  const rows = KINDS.map((kind, i) => ({ kind, i, size: look.plan.live[i][step] })).filter((row) => row.size > 0);
  return h('table', {}, ...rows.reverse().map(({ kind, i, size }) =>
    h('tr', {}, h('td', {}, swatch(i)), h('td', {}, kind.label), h('td', { class: 'number' }, bytes(size)))));
}

/** @param {Look} look */
export function charts(look) {
  const range = new Range(look.plan.stepCount);
  range.cursor = look.step;
  const memory = memoryPlot(look, range);
  const { chart: arena, hit } = arenaPlot(look, range);
  const below = belowPlot(look, range);
  const lanes = lanesPlot(look, range);
  const plots = [memory, arena, ...(look.movesAny ? [below] : []),
    ...(look.movesAny || look.exchangesAny ? [lanes.chart] : [])];
  plots.forEach((plot) => range.attach(plot));

  /**
   * @param {Plot} plot
   * @param {number} x
   */
  function stepAt(plot, x) {
    const step = Math.floor(range.scale(plot.frame()).invert(x));
    return Math.max(0, Math.min(look.plan.stepCount - 1, step));
  }

  /**
   * @param {Plot} plot
   * @param {(event: PointerEvent) => void} move
   * @param {(event: PointerEvent) => void} click
   */
  function listen(plot, move, click) {
    let downX = 0;
    let downY = 0;
    plot.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons === 0) {
        move(event);
      }
    });
    plot.canvas.addEventListener('pointerleave', () => {
      hideTip();
      look.hover(NONE);
    });
    // The zoom swallows a mouse's events, not a pointer's.
    plot.canvas.addEventListener('pointerdown', (event) => {
      [downX, downY] = [event.clientX, event.clientY];
    });
    plot.canvas.addEventListener('pointerup', (event) => {
      if (Math.hypot(event.clientX - downX, event.clientY - downY) <= STILL) {
        click(event);
      }
    });
    plot.canvas.addEventListener('keydown', (event) => {
      if (range.key(event)) {
        look.setStep(range.cursor);
        hideTip();
      }
    });
    plot.canvas.setAttribute('role', 'slider');
    plot.canvas.setAttribute('aria-valuemin', '0');
  }

  /** @param {number} step */
  function choose(step) {
    range.hasCursor = true;
    look.setStep(step);
  }

  listen(memory, (event) => {
    const step = stepAt(memory, event.offsetX);
    showTip(event.clientX, event.clientY, h('div', {}, stepText(look, step)), kindsTable(look, step));
  }, (event) => choose(stepAt(memory, event.offsetX)));

  listen(arena, (event) => {
    const stay = hit(event.offsetX, event.offsetY);
    look.hover(stay < 0 ? NONE : look.plan.value[stay]);
    showTip(event.clientX, event.clientY, ...(stay < 0
      ? [h('div', {}, stepText(look, stepAt(arena, event.offsetX))), h('div', { class: 'quiet' }, 'free')]
      : stayText(look, stay)));
  }, (event) => {
    const stay = hit(event.offsetX, event.offsetY);
    choose(stepAt(arena, event.offsetX));
    if (stay >= 0 && look.plan.value[stay] >= 0) {
      look.setValue(look.plan.value[stay]);
    }
  });
  arena.canvas.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      const [largest] = look.plan.at(look.step).filter((stay) => look.plan.again[stay] || look.plan.first[stay] > 0);
      if (largest !== undefined && look.plan.value[largest] >= 0) {
        look.setValue(look.plan.value[largest]);
      }
    }
  });

  listen(below, (event) => {
    const step = stepAt(below, event.offsetX);
    showTip(event.clientX, event.clientY, h('div', {}, stepText(look, step)), placesTable(look, step));
  }, (event) => choose(stepAt(below, event.offsetX)));

  listen(lanes.chart, (event) => {
    const { step, transfer, exchange } = lanes.hit(event.offsetX, event.offsetY);
    look.hover(beside(transfer, exchange));
    showTip(event.clientX, event.clientY, ...(transfer >= 0 ? transferText(look, transfer)
      : exchange >= 0 ? exchangeText(look, exchange) : [h('div', {}, stepText(look, step))]));
  }, (event) => {
    const { step, transfer, exchange } = lanes.hit(event.offsetX, event.offsetY);
    choose(step);
    const value = beside(transfer, exchange);
    if (value !== NONE) {
      look.setValue(value);
    }
  });

  /**
   * What a lane moves, or none.
   *
   * @param {number} transfer
   * @param {number} exchange
   */
  function beside(transfer, exchange) {
    const { moves, stepValue } = look.plan;
    return transfer >= 0 ? moves?.value[transfer] ?? NONE
      : exchange >= 0 ? stepValue[moves?.exchanges[exchange].step ?? 0] : NONE;
  }

  const words = h('p', { class: 'step-words', 'data-step': 'words' });
  function tellStep() {
    range.cursor = look.step;
    words.textContent = `At ${stepText(look, look.step)}.`;
    for (const plot of plots) {
      plot.canvas.setAttribute('aria-valuemax', String(look.plan.stepCount - 1));
      plot.canvas.setAttribute('aria-valuenow', String(look.step));
      plot.canvas.setAttribute('aria-valuetext', stepText(look, look.step));
    }
    range.redraw();
  }

  const kinds = h('div', {});
  const waits = h('p', { 'data-moves': 'waits' });
  const places = h('ul', { class: 'legend', 'aria-label': 'Places below the arena' });
  const belowArena = h('div', {});
  const moved = h('div', {});
  function tellPlan() {
    const copies = (look.plan.moves?.places.length ?? 0) > 0;
    belowArena.hidden = !copies;
    const shown = [...KINDS.keys()].filter((kind) => look.plan.live[kind].some((live) => live > 0));
    replace(kinds, legend(shown, copies ? [copyKey()] : []));
    moved.hidden = look.plan.moves === null;
    replace(waits, ...waitsText(look));
    replace(places, ...(look.plan.moves?.places ?? []).map(({ name }, place) =>
      h('li', {}, placeSwatch(place), h('span', {}, `on the ${name}`))));
    if (range.count !== look.plan.stepCount) {
      range.setCount(look.plan.stepCount);
    }
    tellStep();
  }

  replace(belowArena,
    h('div', { class: 'chart-title' }, h('h3', {}, 'Below the arena'),
      h('span', { class: 'quiet' }, 'bytes of the places that tensors wait in'), places),
    below.element);
  replace(moved,
    belowArena,
    h('div', { class: 'chart-title' }, h('h3', {}, 'Lanes'),
      h('span', { class: 'quiet' }, `kernels${look.movesAny ? ', stores and fetches' : ''}`
        + `${look.exchangesAny ? ', what ranks exchange' : ''}, of the same steps by the clock`), laneKey(look)),
    lanes.chart.element,
    waits);
  look.on(['step'], tellStep);
  look.on(['plan'], tellPlan);
  look.on(['value', 'hover'], () => range.redraw());
  tellPlan();
  return h('div', { class: 'charts' },
    h('div', { class: 'chart-title' }, h('h3', {}, 'Memory over the step'), range.buttons()),
    kinds,
    memory.element,
    h('div', { class: 'chart-title' }, h('h3', {}, 'The arena'),
      h('span', { class: 'quiet' }, 'what lies at which address, step by step; what is empty is free')),
    arena.element,
    words,
    moved,
    h('p', { class: 'quiet' }, 'Drag to move; Ctrl or Shift with the wheel, two fingers, or + and − to zoom. With the'
      + ' focus on a chart ← → and the Page keys go from step to step, 0 shows all, and Enter in the arena explains the'
      + ' largest tensor. Yellow marks below the phases are steps that compute something again.'));
}

/** What the dashed line above a chart says. */
function copyKey() {
  return h('li', {}, h('span', { class: 'swatch below', 'aria-hidden': 'true' }), h('span', {}, 'dashed',
    h('span', { class: 'quiet' }, ' above a chart: a copy of the chosen tensor waits below')));
}

/**
 * What places hold at a step.
 *
 * @param {Look} look
 * @param {number} step
 */
function placesTable({ plan: { moves } }, step) {
  return h('table', {}, ...(moves?.places ?? []).map(({ name }, place) =>
    h('tr', {}, h('td', {}, placeSwatch(place)), h('td', {}, `on the ${name}`),
      h('td', { class: 'number' }, bytes(moves?.live[place][step] ?? 0)))));
}

/**
 * @param {Look} look
 * @param {number} stay
 * @returns {Child[]}
 */
function stayText(look, stay) {
  const { plan, values } = look;
  const value = plan.value[stay];
  const name = value < 0 ? `scratch of ${look.stepName(plan.first[stay])}` : values.name[value];
  return [
    h('div', { class: 'name' }, name),
    h('div', {}, swatch(plan.kind[stay]), ` ${KINDS[plan.kind[stay]].label}, ${bytes(plan.bytes[stay])}`),
    h('div', { class: 'quiet' }, `steps ${plan.first[stay]} to ${plan.last[stay]}, byte ${count(plan.offset[stay])}`),
  ];
}
