import assert from 'node:assert/strict';
import { byteTicks } from '../page/ticks.js';

export function ticksOfBytesArePowersOfTwoApart() {
  assert.deepEqual(byteTicks(1000, 4), [0, 256, 512, 768]);
  assert.deepEqual(byteTicks(4, 4), [0, 1, 2, 3, 4]);
}

export function anEmptyRangeHasOneTick() {
  assert.deepEqual(byteTicks(0, 4), [0]);
}

export function thereAreNotManyMoreThanAskedFor() {
  for (const most of [1, 7, 1e3, 5.58e9, 2 ** 53 - 1]) {
    assert.ok(byteTicks(most, 5).length <= 6, `${most}`);
  }
}
