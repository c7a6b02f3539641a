import assert from 'node:assert/strict';
import { shares } from '../../page/stages/shares.js';

const segments = { from: [0, 4, 6], to: [4, 5, 8], kind: [0, 1, 0] };

export function areasAreTimesHoweverFewColumns() {
  const [first, second] = shares(segments, 2, 0, 8, 2);
  assert.deepEqual([...first], [1, 0.5]);
  assert.deepEqual([...second], [0, 0.25]);
}

export function whatCoversSeveralColumnsFillsThem() {
  const [first, second] = shares(segments, 2, 0, 8, 16);
  assert.deepEqual([...first], [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]);
  assert.deepEqual([...second], [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0]);
}

export function whatIsNotSeenIsNotCounted() {
  const [first, second] = shares(segments, 2, 3, 7, 2);
  assert.deepEqual([...first], [0.5, 0.5]);
  assert.deepEqual([...second], [0.5, 0]);
}
