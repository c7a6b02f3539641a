import assert from 'node:assert/strict';
import { Links, changes, found } from '../page/program.js';

const PROGRAM = {
  names: ['a', 'b', 'c'],
  lines: [['a = read()', 0, 0, 3], ['b = exp(a)', 1, 0, 4], ['c = add(a, b)', 2, 0, 4], ['workspace', -1, -1, 1]],
  kernels: [{ names: [0, 1], reads: [3] }, { names: [2], reads: [] }, { names: [1], reads: [3] }],
  tensors: [[1, 0, 0, 8, 0, 1], [2, 0, 8, 8, 1, 1], [-1, 0, 16, 8, 0, 0], [1, 0, 0, 8, 2, 2]],
};
const sorted = (set) => [...set].sort();

export function whatComesFromALineIsFound() {
  const { names, kernels, tensors, places } = new Links(PROGRAM).ofPlace('0:4');
  assert.deepEqual(sorted(names), [1, 2]);
  assert.deepEqual(sorted(kernels), [0, 1, 2]);
  assert.deepEqual(sorted(tensors), [0, 1, 3]);
  assert.deepEqual(sorted(places), ['0:4']);
}

export function aKernelLeadsToAllThatItComputesButIsAloneChosen() {
  const { names, kernels, places } = new Links(PROGRAM).ofKernel(0);
  assert.deepEqual(sorted(names), [0, 1]);
  assert.deepEqual(sorted(kernels), [0]);
  assert.deepEqual(sorted(places), ['0:3', '0:4']);
}

export function anInputLeadsToWhatReadsIt() {
  assert.deepEqual(sorted(new Links(PROGRAM).ofNames([3]).kernels), [0, 2]);
}

export function scratchBelongsToNoValue() {
  const { names, tensors } = new Links(PROGRAM).ofTensor(2);
  assert.equal(names.size, 0);
  assert.deepEqual(sorted(tensors), [2]);
}

export function changesAreToldFromMoves() {
  assert.ok(changes([1, 2], [1, 2]).same);
  const moved = changes([1, 2], [2, 1]);
  assert.ok(moved.moved && !moved.same);
  const other = changes([1, 2, 3], [1, 4, 3]);
  assert.deepEqual(sorted(other.added), [4]);
  assert.deepEqual(other.gone, [2]);
  assert.ok(!other.same && !other.moved);
}

export function everyWordOccurs() {
  const texts = ['Block.0 = matmul', 'block.1 = add', 'x'];
  assert.deepEqual(sorted(found(texts, 'BLOCK add')), [1]);
  assert.equal(found(texts, '  '), null);
  assert.equal(found(texts, 'none').size, 0);
}
