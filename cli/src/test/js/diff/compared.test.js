import assert from 'node:assert/strict';
import { partsAtPeak, stateText } from '../../page/diff/compared.js';

export function partsLieOneBehindTheOther() {
  const parts = partsAtPeak({
    parameterBytes: 3, optimizerBytes: 4, gradientBytesAtPeak: 0, activationBytesAtPeak: 5, workspaceBytesAtPeak: 1,
  });
  assert.deepEqual(parts.map((part) => part.from), [0, 3, 7, 7, 12]);
  assert.deepEqual(parts.map((part) => part.size), [3, 4, 0, 5, 1]);
  assert.equal(parts.at(-1).kind, 'workspace');
}

export function statesAreWords() {
  assert.equal(stateText(null), 'freed');
  assert.equal(stateText({ state: 'kept', times: 0, millis: null }), 'kept');
  assert.equal(stateText({ state: 'recomputed', times: 1, millis: 2 }), 'recomputed');
  assert.equal(stateText({ state: 'recomputed', times: 3, millis: 2 }), 'recomputed 3×');
}
