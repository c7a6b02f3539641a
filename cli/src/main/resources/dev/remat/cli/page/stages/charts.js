// The charts of a page of stages, with one clock and one stretch that is chosen in all.

import { h } from '../dom.js';
import { bytes } from '../format.js';
import { KINDS, legend } from '../kinds.js';
import { hideTip, showTips } from '../tooltip.js';
import { stageArena } from './arenas.js';
import { Clock } from './clock.js';
import { NONE, RUNS } from './data.js';
import { INKS, MOST_MESSAGES, stageLanes } from './lanes.js';

/** @typedef {import('../dom.js').Child} Child */
/** @typedef {import('./data.js').Stage} Stage */
/** @typedef {import('./sight.js').Sight} Sight */

/** How far a pointer may move between press and release of a click, in pixels. */
const STILL = 4;
/** What {@link RUNS} are, in words. */
const MEANINGS = ['', '', 'gradients of parameters', 'kernels of no micro-batch', 'computed again',
  'for a message or other ranks'];

/** @param {Sight} sight */
export function stageCharts(sight) {
  const clock = new Clock(sight.makespan);
  const { range } = clock;
  const { chart, hit } = stageLanes(sight, clock);
  const arenas = sight.stages.map((stage) => stageArena(sight, clock, stage));
  [chart, ...arenas].forEach((plot) => range.attach(plot));
  let downX = 0;
  let downY = 0;
  chart.canvas.addEventListener('pointerdown', (event) => {
    [downX, downY] = [event.clientX, event.clientY];
  });
  chart.canvas.addEventListener('pointerup', (event) => {
    const at = hit(event.offsetX, event.offsetY);
    if (at !== null && Math.hypot(event.clientX - downX, event.clientY - downY) <= STILL) {
      sight.choose(at.stage.number, at.stage.stretchAt(at.time));
    }
  });
  showTips(chart.canvas, (event) => {
    const at = hit(event.offsetX, event.offsetY);
    return at === null ? [] : at.below && at.stage.exchangeAt(at.time) !== NONE
      ? exchangeText(sight, at.stage, at.stage.exchangeAt(at.time)) : laneText(sight, at.stage, at.time);
  });
  chart.canvas.setAttribute('role', 'slider');
  chart.canvas.setAttribute('aria-valuemin', '0');
  chart.canvas.addEventListener('keydown', (event) => {
    const goal = goalOf(sight, event);
    if (goal !== null) {
      sight.choose(...goal);
      event.preventDefault();
      hideTip();
    }
  });
  [chart, ...arenas].forEach((plot) => plot.canvas.addEventListener('keydown', (event) => {
    if (['+', '=', '-', '0'].includes(event.key)) {
      range.key(event);
    }
  }));

  const words = h('p', { class: 'step-words', 'data-stages': 'words' });
  function tell() {
    const { stretch } = sight;
    const text = stretch === undefined ? `stage ${sight.stage} computes nothing` : sight.words(stretch);
    words.textContent = `At ${text}.`;
    chart.canvas.setAttribute('aria-valuemax', String(sight.stages[sight.stage].stretches.length - 1));
    chart.canvas.setAttribute('aria-valuenow', String(sight.index));
    chart.canvas.setAttribute('aria-valuetext', text);
    if (stretch !== undefined) {
      clock.look(stretch.begin, stretch.end);
    }
    range.redraw();
  }
  sight.on(tell);
  tell();
  const shown = [...KINDS.keys()].filter((kind) => sight.stages.some((stage) => stage.stayKind.includes(kind)));
  return h('div', { class: 'charts' },
    h('div', { class: 'chart-title' }, h('h3', {}, 'Lanes'),
      h('span', { class: 'quiet' }, 'F forward, B backward, W weight gradients, with the number of the micro-batch; in'
        + ' a column of pixels heights are shares of its time'), range.buttons()),
    laneKey(sight),
    chart.element,
    words,
    h('div', { class: 'chart-title' }, h('h3', {}, 'Arenas'),
      h('span', { class: 'quiet' }, 'what lies at which address of each stage, by the same clock; what is empty is'
        + ' free')),
    legend(shown),
    ...arenas.map((arena) => arena.element),
    h('p', { class: 'quiet' }, 'Drag to move; Ctrl or Shift with the wheel, two fingers, or + and − to zoom. With the'
      + ' focus on the lanes ← and → go from visit to visit, ↑ and ↓ from stage to stage, Home and End to the first'
      + ` and the last, and 0 shows all. Where more than ${MOST_MESSAGES} messages are seen, those of the chosen visit`
      + ' are drawn alone.'));
}

/**
 * What a key chooses: a stage and a stretch; null for any other key.
 *
 * @param {Sight} sight
 * @param {KeyboardEvent} event
 * @returns {[number, number] | null}
 */
function goalOf({ stage, index, stages, stretch }, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return null;
  }
  const beside = (/** @type {number} */ other) =>
    /** @type {[number, number]} */ ([other, stages[other].stretchAt(stretch?.begin ?? 0)]);
  switch (event.key) {
    case 'ArrowLeft': return [stage, index - 1];
    case 'ArrowRight': return [stage, index + 1];
    case 'ArrowUp': return beside(Math.max(0, stage - 1));
    case 'ArrowDown': return beside(Math.min(stages.length - 1, stage + 1));
    case 'Home': return [stage, 0];
    case 'End': return [stage, stages[stage].stretches.length - 1];
    default: return null;
  }
}

/** @param {Sight} sight */
function laneKey(sight) {
  const there = new Set(sight.stages.flatMap((stage) => [...new Set(stage.segments.kind)]));
  const item = (/** @type {string} */ ink, /** @type {string} */ name, /** @type {string} */ meaning) =>
    h('li', {}, h('span', { class: 'swatch', style: `background: var(--${ink})`, 'aria-hidden': 'true' }),
      h('span', {}, name, meaning && h('span', { class: 'quiet' }, ` ${meaning}`)));
  return h('ul', { class: 'legend', 'aria-label': 'Lanes' },
    ...RUNS.map((name, kind) => there.has(kind) && item(INKS[kind], name, MEANINGS[kind])),
    item('exchanged', 'messages', 'from when they are there until they have arrived'),
    sight.exchanges > 0 && item('stored', 'exchanges', 'among ranks, below the lane of their stage'));
}

/**
 * @param {Sight} sight
 * @param {Stage} stage
 * @param {number} exchange
 * @returns {Child[]}
 */
function exchangeText(sight, { number, exchanges }, exchange) {
  return [
    h('div', {}, `stage ${number} of all ranks exchanges`),
    h('div', { class: 'name' }, exchanges.name[exchange]),
    h('div', { class: 'quiet' }, `from ${sight.time(exchanges.begin[exchange])} on for `
      + sight.time(exchanges.span[exchange])),
  ];
}

/**
 * What a stage does at a time.
 *
 * @param {Sight} sight
 * @param {Stage} stage
 * @param {number} time
 * @returns {Child[]}
 */
function laneText(sight, stage, time) {
  const wait = stage.waitAt(time);
  if (wait !== NONE) {
    const ranks = stage.waits.ranks[wait] === 1;
    const message = sight.messages.find(({ name, to, from }) =>
      name === stage.waits.name[wait] && (to === stage.number || from === stage.number));
    const end = ranks ? ', which ranks exchange' : message === undefined ? ''
      : message.to === stage.number ? `, which stage ${message.from} sends` : `, until stage ${message.to} has it`;
    return [
      h('div', {}, `stage ${stage.number} waits ${sight.time(stage.waits.span[wait])} for`),
      h('div', { class: 'name' }, stage.waits.name[wait]),
      h('div', { class: 'quiet' }, `from ${sight.time(stage.waits.begin[wait])} on${end}`),
    ];
  }
  const step = stage.kernelAt(time);
  if (step === NONE) {
    return [h('div', {}, `stage ${stage.number} does nothing at ${sight.time(time)}`)];
  }
  const again = RUNS[stage.kind[step]] === 'again' ? ', again' : '';
  return [
    h('div', {}, `stage ${stage.number}, ${sight.visitName(stage, stage.visit[step])}${again}`),
    h('div', { class: 'name' }, stage.name(step)),
    h('div', { class: 'quiet' }, `step ${step}, from ${sight.time(stage.begin[step])} on for `
      + `${sight.time(stage.span[step])}; ${bytes(stage.live[step])} in memory`),
  ];
}
