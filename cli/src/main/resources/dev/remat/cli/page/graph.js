// Small directed graphs, laid out in layers.

import { h, s } from './dom.js';

/**
 * @typedef {object} GraphNode
 * @property {string} id
 * @property {string} text
 * @property {string} [note] a second line
 * @property {string} look class
 * @property {string} title
 * @property {() => void} [act] what a click does
 */

/**
 * @typedef {object} GraphEdge
 * @property {string} from
 * @property {string} to
 * @property {string} look class
 * @property {string} [title]
 */

const LETTER = 7;
const LINE = 16;
const PAD = 10;
const LONGEST = 26;
/** A graph that is wider than its place shrinks to this share before it is scrolled. */
const SMALLEST = 0.75;

/**
 * The beginning and the end of a text that is longer.
 *
 * @param {string} text
 * @param {number} longest
 */
export function shortened(text, longest) {
  if (text.length <= longest) {
    return text;
  }
  const end = Math.floor((longest - 1) / 2);
  return `${text.slice(0, longest - 1 - end)}…${text.slice(text.length - end)}`;
}

/**
 * @param {GraphNode[]} nodes
 * @param {GraphEdge[]} edges
 * @param {string} label what it shows
 * @param {'TB' | 'LR'} direction
 */
export function drawGraph(nodes, edges, label, direction) {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: direction, nodesep: 18, ranksep: 26, marginx: 6, marginy: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) {
    const longest = Math.max(shortened(node.text, LONGEST).length, (node.note ?? '').length);
    graph.setNode(node.id, { width: longest * LETTER + 2 * PAD, height: (node.note ? 2 : 1) * LINE + PAD });
  }
  for (const edge of edges) {
    graph.setEdge(edge.from, edge.to);
  }
  dagre.layout(graph);
  const { width, height } = graph.graph();
  const svg = s('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width: Math.ceil(width),
    height: Math.ceil(height),
    role: 'group',
    'aria-label': label,
    class: 'graph',
  });
  svg.append(arrow(), ...edges.map((edge) => drawEdge(graph, edge)), ...nodes.map((node) => drawNode(graph, node)));
  svg.style.minWidth = `${Math.ceil(width * SMALLEST)}px`;
  const frame = h('div', { class: 'graph-frame', tabindex: 0, role: 'region', 'aria-label': label }, svg);
  requestAnimationFrame(() => {
    frame.scrollLeft = direction === 'TB' ? (frame.scrollWidth - frame.clientWidth) / 2 : 0;
  });
  return frame;
}

function arrow() {
  return s('defs', {}, s('marker', {
    id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto',
    markerUnits: 'userSpaceOnUse',
  }, s('path', { d: 'M 0 0 L 8 4 L 0 8 z', class: 'arrow' })));
}

/**
 * @param {dagre.graphlib.Graph} graph
 * @param {GraphEdge} edge
 */
function drawEdge(graph, edge) {
  const { points } = graph.edge(edge.from, edge.to);
  const path = points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join(' ');
  return s('path', { d: path, class: `edge ${edge.look}`, 'marker-end': 'url(#arrow)' },
    edge.title ? s('title', {}, edge.title) : null);
}

/**
 * @param {dagre.graphlib.Graph} graph
 * @param {GraphNode} node
 */
function drawNode(graph, node) {
  const { x, y, width, height } = graph.node(node.id);
  const { act } = node;
  const text = s('text', { 'text-anchor': 'middle', y: node.note ? -3 : 4 }, shortened(node.text, LONGEST));
  const note = node.note ? s('text', { 'text-anchor': 'middle', y: 12, class: 'note' }, node.note) : null;
  return s('g', {
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
    class: `node ${node.look}`,
    tabindex: act ? 0 : null,
    role: act ? 'button' : 'img',
    'aria-label': `${node.text}, ${node.title}`,
    click: act,
    keydown: act && ((/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        act();
      }
    }),
  },
  s('title', {}, `${node.text}\n${node.title}`),
  s('rect', { x: -width / 2, y: -height / 2, width, height, rx: 5 }),
  text,
  note);
}
