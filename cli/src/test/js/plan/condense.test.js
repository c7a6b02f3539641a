import assert from 'node:assert/strict';
import { anyIn, fullest, stretches } from '../../page/plan/condense.js';

export function noPeakIsLostWhereColumnsAreFewerThanSteps() {
  const total = Float64Array.from({ length: 1000 }, (_, i) => (i === 737 ? 5 : 1));
  assert.deepEqual([...fullest(total, 0, 1000, 10)], [0, 100, 200, 300, 400, 500, 600, 737, 800, 900]);
}

export function columnsRepeatStepsWhereTheyAreMore() {
  assert.deepEqual([...fullest([1, 2], 0, 2, 6)], [0, 0, 0, 1, 1, 1]);
}

export function aPartOfTheStepsIsShownAlone() {
  assert.deepEqual([...fullest([9, 1, 2, 9], 1, 3, 2)], [1, 2]);
}

export function stretchesEndWherePhasesChangeButForRepeats() {
  const phases = ['f', 'f', 'b', 'f', 'b', 'u'];
  assert.deepEqual(stretches(6, (step) => phases[step], (step) => step === 3), [
    { phase: 'f', from: 0, to: 2 },
    { phase: 'b', from: 2, to: 5 },
    { phase: 'u', from: 5, to: 6 },
  ]);
  assert.deepEqual(stretches(0, () => 'f', () => false), []);
}

export function marksAreSeenHoweverSmall() {
  const marks = Uint8Array.from({ length: 1000 }, (_, i) => (i === 737 ? 1 : 0));
  assert.deepEqual([...anyIn(marks, 0, 1000, 10)], [0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
  assert.deepEqual([...anyIn(marks, 736, 739, 6)], [0, 0, 1, 1, 0, 0]);
  assert.deepEqual([...anyIn(marks, 0, 700, 7)], [0, 0, 0, 0, 0, 0, 0]);
}
