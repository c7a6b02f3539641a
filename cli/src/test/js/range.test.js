import assert from 'node:assert/strict';
import { moved } from '../page/range.js';

export function keysMoveTheCursorWithinTheRange() {
  assert.equal(moved('ArrowRight', 3, 10, 4), 4);
  assert.equal(moved('ArrowRight', 9, 10, 4), 9);
  assert.equal(moved('ArrowLeft', 0, 10, 4), 0);
  assert.equal(moved('PageDown', 3, 10, 4), 7);
  assert.equal(moved('PageUp', 3, 10, 4), 0);
  assert.equal(moved('Home', 3, 10, 4), 0);
  assert.equal(moved('End', 3, 10, 4), 9);
}

export function otherKeysAreNoneOfItsBusiness() {
  assert.equal(moved('Tab', 3, 10, 4), null);
  assert.equal(moved('toString', 3, 10, 4), null);
}
