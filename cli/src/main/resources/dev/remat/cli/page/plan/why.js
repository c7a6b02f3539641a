// Why a value is in memory: who makes and reads it, why it is kept, and what the other decision would cost.

import { h, replace } from '../dom.js';
import { bytes, bytesChange, count, counted } from '../format.js';
import { drawGraph } from '../graph.js';
import { matching } from '../table.js';
import { NONE } from './look.js';
import { excerpt } from './source.js';

/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('./data.js').Price} Price */
/** @typedef {import('../dom.js').Child} Child */

const MOST_READERS = 12;
const MOST_DRAWN = 40;
const MOST_FOUND = 8;

/** @type {Record<string, string>} */
const STATES = {
  resident: 'in memory throughout: a parameter, a state, the batch',
  below: 'lives below the arena, and comes for its readers and its update',
  moved: 'moved below the arena by the forward pass, and fetched for those that read it later',
  kept: 'computed by the forward pass and kept until the rest of the step has read it',
  recomputed: 'computed more than once',
  freed: 'let go before the backward pass, which needs nothing of it',
  output: 'left behind by the step',
  backward: 'computed by the backward pass and held until its last reader has run',
  fused: 'never in memory: computed and read inside one kernel',
  view: 'lies in the storage of another value',
};

/** @param {Look} look */
export function whyPanel(look) {
  const answer = h('div', { 'aria-live': 'polite' });
  const found = h('ul', { class: 'found' });
  const search = h('input', {
    type: 'search',
    placeholder: 'Find a tensor by name',
    'aria-label': 'Find a tensor by name',
    class: 'grow',
    input: find,
  });

  function find() {
    const all = search.value.trim() === ''
      ? []
      : matching([...look.values.name.keys()], [(v) => look.values.name[v]], search.value);
    // Exact ends first: what people mean by a short name.
    const text = search.value.trim();
    const order = (/** @type {number} */ v) => (look.values.name[v].endsWith(text) ? 0 : 1);
    const best = all.sort((a, b) => order(a) - order(b) || a - b).slice(0, MOST_FOUND);
    replace(found, ...best.map((v) => h('li', {}, valueLink(look, v))),
      all.length > best.length && h('li', { class: 'quiet' }, `and ${count(all.length - best.length)} more`));
  }

  function draw() {
    replace(answer, ...(look.value === NONE ? invitation() : explain(look, look.value)));
  }

  look.on(['value', 'plan'], draw);
  draw();
  return h('aside', { class: 'why', id: 'why', 'aria-label': 'Why a tensor is in memory' },
    h('h3', {}, 'Why is it there?'), h('div', { class: 'bar' }, search), found, answer);
}

function invitation() {
  return [h('p', { class: 'quiet' }, 'Click a rectangle of the arena, or a name anywhere on this page, to see what'
    + ' makes a tensor, who reads it, why it is kept, and what it would cost to let it go.')];
}

/**
 * The name of a value, which shows the answer about it.
 *
 * @param {Look} look
 * @param {number} value
 */
export function valueLink(look, value) {
  return h('button', {
    type: 'button',
    class: 'link name',
    click: () => {
      look.setValue(value);
      document.getElementById('why')?.scrollIntoView({ block: 'nearest' });
    },
    pointerenter: () => look.hover(value),
    pointerleave: () => look.hover(NONE),
  }, look.values.name[value]);
}

/**
 * @param {Look} look
 * @param {number} value
 * @returns {Child[]}
 */
function explain(look, value) {
  const { values, plan } = look;
  const state = look.state(value);
  const storage = values.storage[value];
  const reason = plan.retained.get(value);
  const again = plan.recomputed.get(value);
  const cost = values.cost[value];
  return [
    h('h4', { class: 'name', 'data-why': 'name' }, values.name[value]),
    h('dl', { class: 'pairs' },
      ...pair('is', h('span', {}, h('strong', { 'data-why': 'state' }, state), ` — ${STATES[state]}`)),
      ...pair('type', `${values.type[value]}, ${bytes(values.size[value])}`),
      ...pair('made by', `${values.op[value]}${cost > 0 ? ` in ${look.time(cost)}` : ''}, step of the `
        + `${look.data.phases[values.phase[value]]}`),
      ...(values.scope[value] === '' ? [] : pair('layer', h('button', {
        type: 'button', class: 'link name', click: () => look.setLayer(values.scope[value]),
      }, values.scope[value]))),
      ...(storage < 0 ? [] : pair(state === 'fused' ? 'inside' : 'shows', valueLink(look, storage))),
      ...(reason === undefined || state !== 'kept' ? [] : pair('kept because',
        h('span', { 'data-why': 'reason', title: reason }, look.data.reasons[reason] ?? reason))),
      ...(again === undefined ? [] : pair('again', `${counted(again.times, 'time')}`
        + `${plan.sections.length > 0 ? ' in each micro-batch' : ''}`
        + `${again.cost > 0 ? `, ${look.time(again.cost)}` : ', with its kernel’s other results'}`)),
      ...lives(look, value),
      ...ways(look, value),
      ...readers(look, value)),
    ...excerpt(look, value),
    ...price(look, value),
  ];
}

/**
 * @param {string} name
 * @param {Child} content
 */
function pair(name, content) {
  return [h('dt', {}, name), h('dd', {}, content)];
}

/**
 * @param {Look} look
 * @param {number} value
 */
function lives(look, value) {
  const { plan } = look;
  const name = (/** @type {number} */ stay) => (look.data.kinds[plan.kind[stay]] === 'fetched' ? 'back in memory'
    : plan.again[stay] ? 'again in memory' : 'in memory');
  return (plan.staysOf.get(value) ?? []).flatMap((stay) => pair(name(stay),
    h('button', { type: 'button', class: 'link', click: () => look.setStep(plan.first[stay]) },
      `steps ${plan.first[stay]} to ${plan.last[stay]}${rounds(look, stay)}, at byte ${count(plan.offset[stay])}`)));
}

/**
 * Each time that a value leaves the arena and comes back.
 *
 * @param {Look} look
 * @param {number} value
 */
function ways(look, value) {
  const all = look.plan.moves?.ways.get(value) ?? [];
  return all.slice(0, MOST_READERS).flatMap(({ after, before, place, exposed }) => pair('moved', h('span',
    { 'data-why': 'moved' },
    ...(after < 0 ? [`from the ${place}`] : [`to the ${place} behind `, valueLink(look, after), ', back']),
    ' ahead of ', valueLink(look, before),
    exposed > 0 ? `: kernels wait ${look.time(exposed)}` : ': no kernel waits')));
}

/**
 * How often something comes, of what does not outlive a round.
 *
 * @param {Look} look
 * @param {number} stay
 */
function rounds({ plan }, stay) {
  const section = plan.sections.find(({ from, to }) => from <= plan.first[stay] && plan.last[stay] < to);
  return section === undefined || section.times === 1 ? '' : `, ${counted(section.times, 'time')}`;
}

/**
 * @param {Look} look
 * @param {number} value
 */
function readers(look, value) {
  const all = look.values.consumers[value];
  if (all.length === 0) {
    return [];
  }
  const items = all.slice(0, MOST_READERS).map((reader) => h('li', {}, valueLink(look, reader),
    h('span', { class: 'quiet' }, ` ${look.values.op[reader]}, ${look.data.phases[look.values.phase[reader]]}`)));
  return pair('read by', h('ul', {}, ...items,
    all.length > MOST_READERS && h('li', { class: 'quiet' }, `and ${count(all.length - MOST_READERS)} more`)));
}

/**
 * @param {Look} look
 * @param {number} value
 * @returns {Child[]}
 */
function price(look, value) {
  const other = look.prices.get(value);
  if (!look.plan.chosen) {
    return other === undefined ? [] : [h('p', { class: 'quiet' },
      'Prices are those of the plan that was asked for; ',
      h('button', { type: 'button', class: 'link', click: () => look.setPlan(look.chosen) }, 'go back to it'), '.')];
  }
  if (other === undefined) {
    return [];
  }
  const title = other.change === 'drop' ? 'If it were dropped' : 'If it were kept';
  return [
    h('h4', {}, title),
    h('p', { 'data-why': 'price' },
      other.obstacle === null ? changed(look, other) : `It cannot be: ${other.obstacle}.`),
    ...(other.instead === null ? [] : [
      h('h4', {}, 'If it were computed again instead'),
      h('p', { 'data-why': 'instead' },
        changed(look, { peakBytes: other.instead[0], cost: other.instead[1], fitsBudget: null })),
    ]),
    ...chain(look, value, other),
  ];
}

/**
 * @param {Look} look
 * @param {Pick<Price, 'peakBytes' | 'cost' | 'fitsBudget'>} other
 */
function changed(look, other) {
  const time = other.cost === 0 ? 'no time' : `${look.time(Math.abs(other.cost))} ${other.cost > 0 ? 'more' : 'less'}`;
  const peak = other.peakBytes === 0 ? 'the same peak' : `a peak of ${bytesChange(other.peakBytes)}`;
  const fits = other.fitsBudget === false ? ', which exceeds the budget' : '';
  return `${time}, and ${peak}${fits}.`;
}

/**
 * @param {Look} look
 * @param {number} value
 * @param {Price} other
 * @returns {Child[]}
 */
function chain(look, value, other) {
  const { values } = look;
  if (other.runs.length === 0) {
    return [];
  }
  const label = other.change === 'drop' || other.instead !== null ? 'What would run again' : 'What runs again';
  const shown = other.runs.slice(-MOST_DRAWN);
  const sources = other.from.filter((from) => shown.some((run) => reads(look, from, run))).slice(0, MOST_DRAWN);
  const nodes = [
    ...sources.map((from) => ({ id: `${from}`, text: values.name[from], note: bytes(values.size[from]),
      look: 'source', title: `in memory, ${bytes(values.size[from])}`, act: () => look.setValue(from) })),
    ...shown.map((run) => ({ id: `r${values.node(run)}`, text: values.name[run], note: look.time(values.cost[run]),
      look: values.node(run) === values.node(value) ? 'again goal' : 'again',
      title: `runs again in ${look.time(values.cost[run])}`, act: () => look.setValue(run) })),
  ];
  const edges = [
    ...sources.flatMap((from) => shown.filter((run) => reads(look, from, run))
      .map((run) => ({ from: `${from}`, to: `r${values.node(run)}`, look: 'plain' }))),
    ...shown.flatMap((run) => shown.filter((next) => next !== run && reads(look, run, next))
      .map((next) => ({ from: `r${values.node(run)}`, to: `r${values.node(next)}`, look: 'plain' }))),
  ];
  const more = other.runs.length - shown.length;
  const within = shared([...sources, ...shown].map((each) => values.name[each]));
  nodes.forEach((node) => {
    node.text = node.text.slice(within.length);
  });
  return [
    h('h4', {}, `${label}: ${counted(other.runs.length, 'kernel')}`),
    within !== '' && h('p', { class: 'quiet' }, 'in ', h('span', { class: 'name' }, within.slice(0, -1))),
    more > 0 && h('p', { class: 'quiet' }, `The last ${shown.length} are drawn; ${count(more)} run before.`),
    drawGraph(nodes, edges, label, 'TB'),
  ];
}

/**
 * What all names begin with, up to a dot and shorter than any of them.
 *
 * @param {string[]} names
 */
export function shared(names) {
  let [prefix] = names;
  while (prefix !== '' && !names.every((name) => name.startsWith(prefix) && name.length > prefix.length)) {
    prefix = prefix.slice(0, prefix.lastIndexOf('.', prefix.length - 2) + 1);
  }
  return prefix;
}

/**
 * Whether a kernel reads what a node makes, also by way of what vanished into the kernel.
 *
 * @param {Look} look
 * @param {number} from
 * @param {number} kernel named by the value it makes
 */
function reads(look, from, kernel) {
  const { values } = look;
  const goal = values.node(kernel);
  const node = values.node(from);
  const open = [];
  for (let v = node; v < values.count && values.node(v) === node; v++) {
    open.push(...values.consumers[v]);
  }
  const tried = new Set(open);
  for (const reader of open) {
    if (values.node(reader) === goal) {
      return true;
    }
    // What is fused is read inside its kernel.
    if (values.storage[reader] >= 0) {
      for (const next of values.consumers[reader]) {
        if (!tried.has(next)) {
          tried.add(next);
          open.push(next);
        }
      }
    }
  }
  return false;
}
