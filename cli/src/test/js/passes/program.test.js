import assert from 'node:assert/strict';
import { Links, changes, filled, found, programOf } from '../../page/passes/program.js';

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

export function formsAreFilled() {
  assert.equal(filled('\u0001 = exp(\u0001)', ['b', 'a']), 'b = exp(a)');
  assert.equal(filled('plain', []), 'plain');
}

export function aProgramIsUnpacked() {
  const program = programOf({
    names: ['a', 'b', 'exp', 'forward', 'on the CPU'],
    forms: ['input \u0001', '\u0001 = exp(\u0001)'],
    lines: [[0, 0, 0, 3, 0], [1, 1, 0, 4, 1, 0]],
    passes: [{ name: 'elaborate', lines: [0, 2] }, { name: 'other', lines: [1, 1, 0, 1] }],
    code: ['read \u0001, write \u0001'],
    kernels: [[1, 2, 3, false, 0, 4, [1], [0], [[0, 4, 0, 1]]]],
    kinds: ['parameter', 'activation'],
    tensors: [[0, 0, 0, 8, 0, 1], [-1, 1, 8, 4, 1, 1]],
  });
  assert.deepEqual(program.lines.map(([text]) => text), ['input a', 'b = exp(a)',
    'a at byte 0, 8 bytes, steps 0 to 1, parameter', 'workspace at byte 8, 4 bytes, steps 1 to 1, activation']);
  assert.deepEqual(program.passes.map((pass) => pass.lines), [[0, 1], [1, 0], [2, 3]]);
  assert.deepEqual(program.kernels, [{ name: 'b', op: 'exp', phase: 'forward', again: false, at: [0, 4], names: [1],
    reads: [0], launches: [['read a, write b', 'on the CPU']] }]);
}
