// The charts over the step, with one range, one cursor and one tensor that is lit up in all.

import { h, replace } from '../dom.js';
import { bytes, count } from '../format.js';
import { KINDS, legend, swatch } from '../kinds.js';
import { Range } from '../range.js';
import { hideTip, showTip } from '../tooltip.js';
import { arenaPlot } from './arena.js';
import { belowPlot, placeSwatch } from './below.js';
import { lanesPlot } from './lanes.js';
import { NONE } from './look.js';
import { memoryPlot } from './memory.js';
import { valueLink } from './why.js';

/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('../plot.js').Plot} Plot */
/** @typedef {import('../dom.js').Child} Child */

/** How far a pointer may move between press and release of a click, in pixels. */
const STILL = 4;
/** How many tensors are named that kernels wait for. */
const MOST_WAITS = 3;

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
  const plots = [memory, arena, ...(look.movesAny ? [below, lanes.chart] : [])];
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
    const { step, transfer } = lanes.hit(event.offsetX, event.offsetY);
    look.hover(transfer < 0 ? NONE : look.plan.moves?.value[transfer] ?? NONE);
    showTip(event.clientX, event.clientY, ...(transfer < 0 ? [h('div', {}, stepText(look, step))]
      : transferText(look, transfer)));
  }, (event) => {
    const { step, transfer } = lanes.hit(event.offsetX, event.offsetY);
    choose(step);
    if (transfer >= 0) {
      look.setValue(look.plan.moves?.value[transfer] ?? NONE);
    }
  });

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
  const moved = h('div', {});
  function tellPlan() {
    const shown = [...KINDS.keys()].filter((kind) => look.plan.live[kind].some((live) => live > 0));
    replace(kinds, legend(shown, look.plan.moves === null ? [] : [copyKey()]));
    moved.hidden = look.plan.moves === null;
    replace(waits, ...waitsText(look));
    replace(places, ...(look.plan.moves?.places ?? []).map(({ name }, place) =>
      h('li', {}, placeSwatch(place), h('span', {}, `on the ${name}`))));
    if (range.count !== look.plan.stepCount) {
      range.setCount(look.plan.stepCount);
    }
    tellStep();
  }

  replace(moved,
    h('div', { class: 'chart-title' }, h('h3', {}, 'Below the arena'),
      h('span', { class: 'quiet' }, 'bytes of the places that tensors wait in'), places),
    below.element,
    h('div', { class: 'chart-title' }, h('h3', {}, 'Lanes'),
      h('span', { class: 'quiet' }, 'kernels, stores and fetches of the same steps by the clock'), laneKey()),
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

/** What the lanes are drawn with. */
function laneKey() {
  return h('ul', { class: 'legend', 'aria-label': 'Lanes' },
    h('li', {}, h('span', { class: 'swatch run', 'aria-hidden': 'true' }), h('span', {}, 'kernel')),
    h('li', {}, h('span', { class: 'swatch stored', 'aria-hidden': 'true' }), h('span', {}, 'stored')),
    h('li', {}, h('span', { class: 'swatch fetched', 'aria-hidden': 'true' }), h('span', {}, 'fetched')),
    h('li', {}, h('span', { class: 'swatch waited', 'aria-hidden': 'true' }), h('span', {}, 'exposed',
      h('span', { class: 'quiet' }, ' no kernel runs'))));
}

/**
 * What kernels wait for longest.
 *
 * @param {Look} look
 * @returns {Child[]}
 */
function waitsText(look) {
  const waits = look.plan.moves?.longestWaits(MOST_WAITS) ?? [];
  return waits.length === 0 ? ['No kernel waits for a transfer.'] : ['Kernels wait longest for ',
    ...waits.flatMap(({ value, nanos }, i) =>
      [i > 0 && ', ', valueLink(look, value), ` (${look.time(nanos)})`]), '.'];
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
 * @param {number} transfer
 * @returns {Child[]}
 */
function transferText(look, transfer) {
  const moves = /** @type {import('./moves.js').Moves} */ (look.plan.moves);
  const place = moves.places[moves.place[transfer]].name;
  return [
    h('div', { class: 'name' }, look.values.name[moves.value[transfer]]),
    h('div', {}, `${moves.fetches[transfer] ? 'fetched from' : 'stored to'} the ${place}, `
      + `${bytes(moves.bytes[transfer])} in ${look.time(moves.to[transfer] - moves.from[transfer])}`),
    h('div', { class: 'quiet' }, `from ${look.time(moves.from[transfer])} on`),
  ];
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
