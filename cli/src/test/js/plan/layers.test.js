import assert from 'node:assert/strict';
import { layerGraph, layerTree, parts, seen } from '../../page/plan/layers.js';

/** `x` from outside feeds block.0 (`a` fused into `b`) and block.1 (`c`), then `y`; `g` is of the backward. */
const values = /** @type {any} */ ({
  count: 7,
  name: ['x', 'block.0.norm.weight', 'block.0.norm.a', 'block.0.b', 'block.1.c', 'y', 'g'],
  scope: ['', '', 'block.0.norm', 'block.0', 'block.1', '', ''],
  op: ['input', 'input', 'mul', 'add', 'add', 'sum', 'sum_grad'],
  phase: [0, 0, 0, 0, 0, 0, 1],
  size: [4, 8, 16, 32, 64, 4, 4],
  elements: [1, 2, 0, 0, 0, 0, 0],
  flops: [0, 0, 1, 10, 100, 1000, 5],
  consumers: [[2], [2], [3], [4, 6], [5], [6], []],
  node: (/** @type {number} */ v) => v,
});
const plan = /** @type {any} */ ({
  stepValue: [3, 4, 5, 3, 6],
  stepCost: [7, 20, 1, 7, 3],
  stepAgain: [0, 0, 0, 1, 0],
  stepTimes: [1, 1, 1, 1, 1],
  retained: new Map([[4, 'chosen']]),
  recomputed: new Map([[3, { times: 1, cost: 7 }]]),
});

/** @param {{ from: string, to: string }[]} edges */
const ends = (edges) => edges.map((edge) => `${edge.from} ${edge.to}`).sort();

export function aNumberBelongsToWhatItCounts() {
  assert.deepEqual(parts('stage.0.bottleneck.12.reduce.conv'), ['stage.0', 'bottleneck.12', 'reduce', 'conv']);
  assert.deepEqual(parts(''), []);
  assert.deepEqual(parts('3'), ['3']);
}

export function layersHaveWhatIsInThemAndInside() {
  const root = layerTree(values, plan, new Set([1]));
  assert.deepEqual(root.children.map((layer) => layer.path), ['block.0', 'block.1']);
  const [block] = root.children;
  assert.deepEqual([block.parameters, block.kept, block.recomputed, block.flops, block.cost, block.again],
    [2, 0, 32, 11, 14, 7]);
  assert.deepEqual([root.parameters, root.kept, root.recomputed, root.flops, root.cost, root.again],
    [2, 64, 32, 1116, 38, 7]);
  assert.equal(block.children[0].path, 'block.0.norm');
  assert.equal(block.children[0].depth, 2);
}

export function layersTakeWhatTheirStepsDoAsOftenAsTheyRun() {
  const root = layerTree(values, { ...plan, stepTimes: [4, 4, 4, 4, 1] }, new Set([1]));
  assert.deepEqual([root.cost, root.again], [4 * 35 + 3, 28]);
}

export function closedLayersHideWhatIsInside() {
  const root = layerTree(values, plan, new Set());
  assert.deepEqual(seen(root, new Set()).map((layer) => layer.path), ['']);
  assert.deepEqual(seen(root, new Set(['', 'block.0'])).map((layer) => layer.path),
    ['', 'block.0', 'block.0.norm', 'block.1']);
}

export function aPictureShowsInnerLayersAsOneAndNoBackward() {
  const { items, edges } = layerGraph(values, '', 0);
  assert.deepEqual([...items].sort(), ['#5', '<0', 'block.0', 'block.1']);
  assert.deepEqual(ends(edges), ['<0 block.0', 'block.0 block.1', 'block.1 #5']);
}

export function aPictureOfALayerSaysWhereItsInputComesFrom() {
  const { edges } = layerGraph(values, 'block.0', 0);
  assert.deepEqual(ends(edges), ['#3 >', '<0 block.0.norm', 'block.0.norm #3']);
}
