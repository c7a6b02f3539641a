// The model: its layers as a tree with totals, its source beside, and the picture of the chosen layer.

import { h, replace } from '../dom.js';
import { bytes, count, metric } from '../format.js';
import { drawGraph } from '../graph.js';
import { layerGraph, layerTree, seen } from './layers.js';
import { sourceView } from './source.js';

/** @typedef {import('./look.js').Look} Look */
/** @typedef {import('./layers.js').Layer} Layer */

/** Layouts of more take long, and nobody reads them. */
const MOST_DRAWN = 120;

/** @param {Look} look */
export function modelView(look) {
  const { data } = look;
  const { value: inputs, kind, kinds } = data.inputs;
  const parameters = new Set(inputs.filter((_, i) => kinds[kind[i]] === 'parameter'));
  const open = new Set(['']);
  let tree = layerTree(look.values, look.plan, parameters);
  let focus = '';
  const body = h('tbody', { keydown: key });
  const heads = ['Layer', 'Parameters', 'Kept', 'Recomputed', 'FLOPs', 'Time'];
  const grid = h('div', { class: 'table-frame tree-frame' }, h('table', { class: 'sortable tree', role: 'treegrid',
    'aria-label': 'Layers' },
  h('thead', {}, h('tr', {}, ...heads.map((head, i) => h('th', { scope: 'col', class: i > 0 && 'number' },
    h('span', { class: 'head' }, head))))), body));

  /** @param {Layer} layer */
  function row(layer) {
    const inner = layer.children.length > 0;
    const isOpen = open.has(layer.path);
    const again = layer.again > 0 ? `, ${look.time(layer.again)} of it again` : '';
    return h('tr', {
      role: 'row',
      'aria-level': layer.depth + 1,
      'aria-expanded': inner ? String(isOpen) : null,
      'aria-current': layer.path === look.layer && look.layer !== '' ? 'true' : null,
      'data-path': layer.path,
      tabindex: layer.path === focus ? 0 : -1,
      click: () => choose(layer),
    },
    h('td', { role: 'gridcell', style: `padding-left:${0.5 + layer.depth * 1.1}rem` },
      h('span', {
        class: 'twist',
        'aria-hidden': 'true',
        click: (/** @type {Event} */ event) => {
          event.stopPropagation();
          fold(layer, !isOpen);
        },
      }, inner ? (isOpen ? '▾' : '▸') : ''),
      h('span', { class: 'name' }, layer.name === '' ? 'the whole step' : layer.name)),
    cell(count(layer.parameters), layer.parameters),
    cell(bytes(layer.kept), layer.kept),
    cell(bytes(layer.recomputed), layer.recomputed),
    cell(metric(layer.flops), layer.flops),
    cell(look.time(layer.cost), `${look.time(layer.cost)}${again}`));
  }

  /**
   * @param {string} text
   * @param {string | number} exact
   */
  function cell(text, exact) {
    return h('td', { role: 'gridcell', class: 'number', title: exact }, text);
  }

  /**
   * @param {Layer} layer
   * @param {boolean} wide
   */
  function fold(layer, wide) {
    if (wide) {
      open.add(layer.path);
    } else {
      open.delete(layer.path);
    }
    draw();
  }

  /** @param {Layer} layer */
  function choose(layer) {
    focus = layer.path;
    open.add(layer.path);
    look.setLayer(layer.path);
    focused()?.focus();
  }

  /** @returns {HTMLElement | undefined} */
  function focused() {
    return [...body.rows].find((each) => each.dataset['path'] === focus);
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const all = seen(tree, open);
    const at = all.findIndex((layer) => layer.path === focus);
    const layer = all[at];
    if (layer === undefined) {
      return;
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const next = all[at + (event.key === 'ArrowDown' ? 1 : -1)];
      focus = next === undefined ? focus : next.path;
    } else if (event.key === 'ArrowRight') {
      open.add(layer.path);
    } else if (event.key === 'ArrowLeft') {
      open.delete(layer.path);
    } else if (event.key === 'Enter' || event.key === ' ') {
      choose(layer);
    } else {
      return;
    }
    event.preventDefault();
    draw();
    focused()?.focus();
  }

  function draw() {
    replace(body, ...seen(tree, open).map(row));
  }

  const picture = h('div', {});
  function drawPicture() {
    replace(picture, ...layerPicture(look));
  }

  look.on(['plan'], () => {
    tree = layerTree(look.values, look.plan, parameters);
    draw();
    drawPicture();
  });
  look.on(['layer'], () => {
    reveal(tree, look.layer, open);
    focus = look.layer;
    draw();
    drawPicture();
  });
  draw();
  drawPicture();
  const source = sourceView(look);
  return [
    h('div', { class: 'beside' }, h('div', {}, grid), h('div', {}, source.frame, source.caption)),
    picture,
  ];
}

/**
 * Opens all layers around one.
 *
 * @param {Layer} layer
 * @param {string} path
 * @param {Set<string>} open
 */
function reveal(layer, path, open) {
  if (path === layer.path || layer.path === '' || path.startsWith(`${layer.path}.`)) {
    open.add(layer.path);
    layer.children.forEach((child) => reveal(child, path, open));
  }
}

/** @param {Look} look */
function layerPicture(look) {
  const { values } = look;
  const forward = look.data.phases.indexOf('forward');
  const { items, edges } = layerGraph(values, look.layer, forward);
  const name = look.layer === '' ? 'the model' : look.layer;
  const title = h('h3', {}, 'The forward pass of ', h('span', { class: 'name' }, name));
  if (items.length > MOST_DRAWN) {
    return [title, h('p', { class: 'quiet' }, `It has ${count(items.length)} parts side by side, too many for a`
      + ' picture; choose a layer inside it.')];
  }
  const nodes = items.map((item) => {
    if (item === '>') {
      return { id: item, text: 'what follows', look: 'outside', title: 'outside this layer' };
    }
    if (item.startsWith('<')) {
      const value = Number(item.slice(1));
      return { id: item, text: values.name[value], look: 'outside', title: `from outside, ${values.type[value]}`,
        act: () => look.setValue(value) };
    }
    if (item.startsWith('#')) {
      const value = Number(item.slice(1));
      return { id: item, text: values.name[value].slice(look.layer === '' ? 0 : look.layer.length + 1)
        || values.name[value], note: values.op[value], look: look.state(value),
      title: `${values.op[value]}, ${look.state(value)}, ${values.type[value]}`, act: () => look.setValue(value) };
    }
    return { id: item, text: item.slice(look.layer === '' ? 0 : look.layer.length + 1), note: 'layer', look: 'layer',
      title: 'a layer; choose it to see inside', act: () => look.setLayer(item) };
  });
  const drawn = edges.map((edge) => ({
    from: edge.from,
    to: edge.to,
    look: edge.values.some((value) => look.state(value) === 'kept') ? 'kept' : 'plain',
    title: edge.values.map((value) => `${values.name[value]} ${values.type[value]}, ${look.state(value)}`).join('\n'),
  }));
  const states = ['kept', ...(look.movesAny ? ['moved'] : []), 'recomputed', 'freed', 'fused', 'layer'];
  const key = h('ul', { class: 'legend' }, ...states.map((state) =>
    h('li', {}, h('span', { class: `key ${state}`, 'aria-hidden': 'true' }), state)));
  return nodes.length === 0
    ? [title, h('p', { class: 'quiet' }, 'Nothing of it runs in the forward pass.')]
    : [title, key, drawGraph(nodes, drawn, `The forward pass of ${name}`, 'LR')];
}
