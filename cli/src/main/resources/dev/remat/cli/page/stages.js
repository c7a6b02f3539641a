// The page of a step in stages.

import { h } from './dom.js';
import { save } from './download.js';
import { bytes, count, counted, percent } from './format.js';
import { factTiles, fillPage } from './shell.js';
import { stageCharts } from './stages/charts.js';
import { Sight } from './stages/sight.js';
import { exchangeTable, messageTable, stageTable, visitTable, waitTable, wayTable } from './stages/tables.js';

/** @typedef {import('./stages/data.js').StageData} StageData */

/**
 * @param {StageData} data
 * @param {HTMLElement} place
 */
export function show(data, place) {
  const sight = new Sight(data);
  fillPage(place, data.title, [h('p', { class: 'quiet' }, `${data.target}, ${data.sums.schedule}, `
    + `${count(data.sums.microBatches)} micro-batches`
    + (data.sums.ranks === undefined ? '' : `, ${data.sums.ranks} ranks that share ${data.sums.shard}`))], [
    {
      id: 'step',
      title: 'The step',
      hint: 'What each stage does when, what it waits for, and what is in its arena.',
      content: [factTiles(facts(sight)), stageCharts(sight)],
    },
    { id: 'stages', title: 'Stages', hint: 'What each takes.', content: [stageTable(sight)] },
    ...(data.sums.modes.length < 2 ? [] : [{
      id: 'ways',
      title: 'Beside each other',
      hint: 'The same stages by other schedules, or with something else computed again, within the same budget.',
      content: [wayTable(sight)],
    }]),
    { id: 'waits', title: 'Waits', hint: 'What stages wait for, longest first.', content: [waitTable(sight)] },
    { id: 'visits', title: 'Visits', hint: 'Each micro-batch in each part of the model, forward and backward.',
      content: [visitTable(sight)] },
    { id: 'messages', title: 'Messages', hint: 'What stages send each other.', content: [messageTable(sight)] },
    ...(sight.exchanges === 0 ? [] : [{ id: 'exchanges', title: 'Exchanges',
      hint: 'What each stage exchanges with the same stage of other ranks.', content: [exchangeTable(sight)] }]),
    { id: 'numbers', title: 'Numbers', hint: 'The sums, as remat plan --stages --json prints them.',
      content: numbers(data) },
  ]);
}

/** @param {Sight} sight */
function facts(sight) {
  const { sums, stages, messages } = sight;
  const sum = (/** @type {number[]} */ all) => all.reduce((a, b) => a + b, 0);
  const arenas = sums.stages.map((stage) => stage.arenaBytes);
  const largest = Math.max(...arenas);
  const busy = sum(sums.stages.map((stage) => stage.busy));
  const again = sum(stages.map((stage) => stage.again));
  const waited = sum(sums.stages.map((stage) => stage.waited));
  const ranks = sum(sums.stages.map((stage) => stage.waitedForRanks ?? 0));
  const sent = sum(messages.map((message) => message.bytes));
  return [
    { name: 'one step', value: sight.time(sums.cost), exact: String(sums.cost),
      note: `${counted(sum(sums.stages.map((stage) => stage.kernels)), 'kernel')} of `
        + counted(stages.length, 'stage') },
    { name: 'bubble', value: percent(sums.bubble), exact: String(sums.bubble),
      note: 'of all stages’ time nothing is computed' },
    { name: 'largest arena', value: bytes(largest), exact: count(largest),
      note: `of stage ${arenas.indexOf(largest)}; all together ${bytes(sum(arenas))}` },
    { name: 'computed again', value: percent(busy === 0 ? 0 : again / busy), exact: String(again),
      note: `${sight.time(again)} of what all compute` },
    { name: 'waits', value: sight.time(waited), exact: String(waited), note: sums.ranks === undefined
      ? 'of all stages for messages' : `of all stages, ${sight.time(ranks)} of it for other ranks` },
    { name: 'messages', value: count(messages.length), exact: count(messages.length), note: `${bytes(sent)} a step` },
  ];
}

/** @param {StageData} data */
function numbers(data) {
  const text = JSON.stringify(data.sums, null, 2);
  const keep = () => save('stages.json', 'application/json', `${text}\n`);
  return [h('div', { class: 'bar' }, h('button', { type: 'button', click: keep }, 'Save JSON')),
    h('pre', { class: 'numbers', tabindex: 0 }, text)];
}
