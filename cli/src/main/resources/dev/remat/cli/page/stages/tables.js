// All that is drawn of stages, as tables.

import { h } from '../dom.js';
import { bytes, count, percent } from '../format.js';
import { figures, table } from '../table.js';

/** @typedef {import('./data.js').Message} Message */
/** @typedef {import('./data.js').Way} Way */
/** @typedef {import('./sight.js').Sight} Sight */

/** @param {Sight} sight */
export function stageTable(sight) {
  const rows = sight.sums.stages.map((sums, number) => ({ ...sums, number, again: sight.stages[number].again }));
  return table({
    name: 'stages',
    rows,
    columns: [
      figures('Stage', 'stage', (row) => row.number),
      figures('Arena', 'arenaBytes', (row) => row.arenaBytes, bytes),
      figures('Kernels', 'kernels', (row) => row.kernels, count),
      figures('Computes', 'busy', (row) => row.busy, (cost) => sight.time(cost)),
      figures('Again', 'again', (row) => row.again, (cost) => sight.time(cost)),
      ...(rows.every((row) => row.interference === 0) ? [] : [
        figures('Lost to messages', 'interference', (/** @type {typeof rows[0]} */ row) => row.interference,
          (cost) => sight.time(cost)),
      ]),
      figures('Waits', 'waited', (row) => row.waited, (cost) => sight.time(cost)),
      figures('Computes nothing', 'bubble', (row) => 1 - row.busy / sight.makespan, percent),
      figures('Sends', 'sentBytes', (row) => row.sentBytes, bytes),
      ...(sight.sums.ranks === undefined ? [] : [
        figures('Exchanges', 'exchangedBytes', (/** @type {typeof rows[0]} */ row) => row.exchangedBytes ?? 0, bytes),
        figures('Waits for ranks', 'waitedForRanks', (/** @type {typeof rows[0]} */ row) => row.waitedForRanks ?? 0,
          (cost) => sight.time(cost)),
      ]),
    ],
  }).element;
}

/** @param {Sight} sight */
export function wayTable(sight) {
  const largest = (/** @type {Way} */ way) => way.largestArenaBytes ?? null;
  return table({
    name: 'ways',
    rows: sight.sums.modes,
    columns: [
      ...(sight.sums.modes.every((way) => way.shard === undefined) ? [] : [
        { name: 'Ranks share', field: 'shard', value: (/** @type {Way} */ way) => way.shard ?? null }]),
      { name: 'Schedule', field: 'schedule', value: (way) => way.schedule },
      { name: 'What is computed again', field: 'mode', value: (way) => way.mode },
      figures('A step', 'cost', (way) => way.cost ?? null, (cost) => sight.time(cost)),
      figures('Bubble', 'bubble', (way) => way.bubble ?? null, percent),
      figures('Largest arena', 'largestArenaBytes', largest, bytes),
      figures('Does not fit: takes', 'smallestFoundBytes', (way) => way.smallestFoundBytes ?? null, bytes),
    ],
  }).element;
}

/** @param {Sight} sight */
export function waitTable(sight) {
  const rows = sight.stages.flatMap((stage) => stage.waits.name.map((name, i) =>
    ({ stage: stage.number, name, begin: stage.waits.begin[i], span: stage.waits.span[i] })));
  return table({
    name: 'waits',
    rows,
    sort: 'waited',
    columns: [
      figures('Stage', 'stage', (row) => row.stage),
      { name: 'Waits for', field: 'message', value: (row) => row.name },
      figures('From', 'begin', (row) => row.begin, (cost) => sight.time(cost)),
      figures('For', 'waited', (row) => row.span, (cost) => sight.time(cost)),
    ],
  }).element;
}

/** @param {Sight} sight */
export function visitTable(sight) {
  const rows = sight.stages.flatMap((stage) => stage.stretches.map((stretch, index) => ({ ...stretch, index })));
  const times = (/** @type {string} */ name, /** @type {'begin' | 'computes' | 'again' | 'waits'} */ field) =>
    figures(name, field, (/** @type {typeof rows[0]} */ row) => row[field], (cost) => sight.time(cost));
  const visits = table({
    name: 'visits',
    rows,
    columns: [
      figures('Stage', 'stage', (row) => row.stage),
      { name: 'Visit', field: 'visit', value: (row) => sight.visitName(sight.stages[row.stage], row.visit),
        show: (row) => h('button', { type: 'button', class: 'link', click: () => sight.choose(row.stage, row.index) },
          sight.visitName(sight.stages[row.stage], row.visit)) },
      times('Begins', 'begin'),
      times('Computes', 'computes'),
      times('Again', 'again'),
      times('Waits', 'waits'),
      figures('Kernels', 'kernels', (row) => row.kernels, count),
      figures('In memory', 'bytes', (row) => row.bytes, bytes),
    ],
    isCurrent: (row) => row.stage === sight.stage && row.index === sight.index,
  });
  sight.on(visits.refresh);
  return visits.element;
}

/** @param {Sight} sight */
export function exchangeTable(sight) {
  const rows = sight.stages.flatMap(({ number, exchanges: { name, begin, span } }) =>
    name.map((each, i) => ({ stage: number, name: each, begin: begin[i], span: span[i] })));
  return table({
    name: 'exchanges',
    rows,
    columns: [
      figures('Stage', 'stage', (row) => row.stage),
      { name: 'Exchange', field: 'exchange', value: (row) => row.name },
      figures('Begins', 'begin', (row) => row.begin, (cost) => sight.time(cost)),
      figures('Takes', 'span', (row) => row.span, (cost) => sight.time(cost)),
    ],
  }).element;
}

/** @param {Sight} sight */
export function messageTable(sight) {
  const times = (/** @type {string} */ name, /** @type {'sent' | 'taken' | 'arrived'} */ field) =>
    figures(name, field, (/** @type {Message} */ row) => row[field], (cost) => sight.time(cost));
  return table({
    name: 'messages',
    rows: sight.messages,
    columns: [
      { name: 'Message', field: 'message', value: (row) => row.name },
      figures('From', 'from', (row) => row.from),
      figures('To', 'to', (row) => row.to),
      figures('Bytes', 'bytes', (row) => row.bytes, bytes),
      times('There', 'sent'),
      times('Room for it', 'taken'),
      times('Arrived', 'arrived'),
    ],
  }).element;
}
