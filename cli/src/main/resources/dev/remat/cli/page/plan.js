// The page of one plan.

import { h, replace } from './dom.js';
import { save } from './download.js';
import { bytes, count, counted, metric, percent, time } from './format.js';
import { charts } from './plan/charts.js';
import { Look } from './plan/look.js';
import { modelView } from './plan/model.js';
import { liveTable, stepTable, tensorTable } from './plan/tables.js';
import { budgetSlider, reliefTable } from './plan/whatif.js';
import { whyPanel } from './plan/why.js';
import { factTiles, fillPage } from './shell.js';

/** @typedef {{ name: string, rows: number, count: number, bytes: number, wholeBytes: number }} ChunkedLoss */
/** @typedef {import('./plan/data.js').PlanData} PlanData */

/** Steps whose writing a disk's wear is told by. */
const WEAR_STEPS = 1000;

/**
 * @param {PlanData} data
 * @param {HTMLElement} place
 */
export function show(data, place) {
  const look = new Look(data);
  const facts = h('div', {});
  const drawFacts = () => replace(facts, factTiles(sums(look)));
  look.on(['plan'], drawFacts);
  drawFacts();
  fillPage(place, data.title, [h('p', { class: 'quiet' }, subtitle(look))], [
    {
      id: 'memory',
      title: 'Memory',
      hint: 'What is in memory when, where it lies, and why.',
      content: [facts, budgetSlider(look), h('div', { class: 'look' }, charts(look), whyPanel(look))],
    },
    {
      id: 'live',
      title: 'In memory at the step',
      hint: 'Every buffer that is in use while the chosen step runs, largest first.',
      content: liveTable(look),
    },
    {
      id: 'next',
      title: 'What to let go next',
      hint: 'Single tensors that lower the peak if they are computed again instead of kept, cheapest for a byte first;'
        + ' what the evaluator says of the same sequence with that one decision changed.',
      content: reliefTable(look),
    },
    {
      id: 'model',
      title: 'The model',
      hint: 'Layers with all that is in them. Choose one to see its lines and its forward pass; arrow keys open and'
        + ' close.',
      content: modelView(look),
    },
    { id: 'tensors', title: 'Tensors', hint: 'Every value of the step, and what the plan does with it.',
      content: tensorTable(look) },
    { id: 'steps', title: 'Steps', hint: 'The kernels of the plan in their order.', content: stepTable(look) },
    { id: 'numbers', title: 'Numbers', hint: 'The sums of the plan, as remat plan --json prints them.',
      content: numbers(look) },
  ]);
}

/** @param {Look} look */
function subtitle(look) {
  const { sums: { target, compute, planHash } } = look.plan;
  return `${target}, costs by ${compute.costModel}, plan ${planHash.slice(0, 12)}`;
}

/** @param {Look} look */
function sums(look) {
  const { memory, compute, nodes, budgetBytes, strategy } = look.plan.sums;
  const size = (/** @type {string} */ name, /** @type {number} */ value, /** @type {string} */ note) =>
    ({ name, value: bytes(value), exact: count(value), note });
  const runs = look.plan.stepTimes.reduce((sum, times) => sum + times, 0);
  const spare = budgetBytes === null ? 'no budget' : `${bytes(budgetBytes - memory.arenaBytes)} to spare of `
    + bytes(budgetBytes);
  return [
    size('arena', memory.arenaBytes, spare),
    size('live at the peak', memory.peakLiveBytes, 'no layout can be smaller'),
    size('keeping all', memory.keepAllArenaBytes, 'the arena without recomputation'),
    size('floor', memory.floorBytes, 'no plan needs less'),
    ...chunked(look),
    size('smallest found', memory.smallestFoundBytes, 'among the plans that were tried'),
    {
      name: 'one step',
      value: compute.estimatedMillis === null ? 'no time' : time(compute.estimatedMillis),
      exact: String(compute.estimatedMillis),
      note: `${runs === nodes.kernels ? '' : `${count(runs)} runs of `}${count(nodes.kernels)} kernels, by ${strategy}`,
    },
    {
      name: look.movesAny ? 'overhead' : 'recomputed',
      value: percent(compute.overhead),
      exact: String(compute.overhead),
      note: `${look.movesAny ? 'recomputing and waiting' : 'of the cost'}; no plan within the budget below `
        + percent(compute.lowerBoundOverhead),
    },
    {
      name: 'operations',
      value: metric(compute.flops),
      exact: String(compute.flops),
      note: `and ${metric(compute.recomputeFlops)} again`,
    },
    ...moved(look),
    ...exchanged(look),
  ];
}

/**
 * Losses that exist some rows at a time, and what a step needs where they are whole.
 *
 * @param {Look} look
 */
function chunked({ plan: { sums: { chunks = [], memory: { floorBytesOfWhole } } } }) {
  return [
    ...(floorBytesOfWhole === undefined ? [] : [{
      name: 'whole floor', value: bytes(floorBytesOfWhole), exact: count(floorBytesOfWhole),
      note: 'no plan needs less without chunks',
    }]),
    ...chunks.map((loss) => ({
      name: 'chunks', value: count(loss.count), exact: `of ${count(loss.rows)} rows`,
      note: `of rows: ${bytes(loss.bytes)} of ${loss.name} at a time of ${bytes(loss.wholeBytes)}`,
    })),
  ];
}

/**
 * What each rank sends in a step, and what is waited for.
 *
 * @param {Look} look
 */
function exchanged({ plan: { sums: { ranks } } }) {
  if (ranks === undefined) {
    return [];
  }
  const sent = ranks.scatterBytes + ranks.gatherBytes;
  return [
    { name: 'each rank sends', value: bytes(sent), exact: count(sent),
      note: `a step, in ${count(ranks.exchanges)} exchanges with ${count(ranks.count - 1)} others` },
    ...(ranks.efficiency === undefined || ranks.exposedMillis === undefined ? [] : [{
      name: 'efficiency', value: percent(ranks.efficiency), exact: String(ranks.efficiency),
      note: `kernels wait ${time(ranks.exposedMillis)} for other ranks`,
    }]),
  ];
}

/**
 * What is moved in a step, and what is waited for.
 *
 * @param {Look} look
 */
function moved({ plan }) {
  const { moves, sums: { transfers, compute } } = plan;
  if (moves === null || transfers === undefined) {
    return [];
  }
  const millis = compute.estimatedMillis ?? 0;
  const share = (/** @type {number} */ part) => percent(millis === 0 ? 0 : part / millis);
  const disk = moves.places.some(({ name }) => name === 'disk');
  return [
    { name: 'stored', value: bytes(transfers.storeBytes), exact: count(transfers.storeBytes),
      note: disk ? `${metric(WEAR_STEPS * transfers.storeBytes)}B in ${WEAR_STEPS} steps at most: disks wear`
        : 'in a step' },
    { name: 'fetched', value: bytes(transfers.fetchBytes), exact: count(transfers.fetchBytes),
      note: counted([...moves.fetches].filter((each) => each === 1).length, 'time')
        + (plan.sections.length > 0 ? ' in each micro-batch' : '') },
    ...moves.places.filter((place) => place.bytes > 0).map(({ name, bytes: size }) => ({
      name: `on the ${name}`, value: bytes(size), exact: count(size),
      note: `at peak; lanes busy ${['store to', 'fetch from'].map((lane) =>
        share(transfers.lanes.find((each) => each.name === `${lane} ${name}`)?.busyMillis ?? 0)).join(' and ')}`,
    })),
    { name: 'exposed', value: time(transfers.exposedMillis), exact: String(transfers.exposedMillis),
      note: `${share(transfers.exposedMillis)} of the time no kernel runs` },
  ];
}

/** @param {Look} look */
function numbers(look) {
  const text = h('pre', { class: 'numbers', tabindex: 0 });
  const draw = () => {
    text.textContent = JSON.stringify(look.plan.sums, null, 2);
  };
  look.on(['plan'], draw);
  draw();
  const keep = () => save('plan.json', 'application/json', `${text.textContent}\n`);
  return [h('div', { class: 'bar' }, h('button', { type: 'button', click: keep }, 'Save JSON')), text];
}
