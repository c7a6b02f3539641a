import assert from 'node:assert/strict';
import { letters, summed, texts } from '../../page/plan/columns.js';
import { Plan, prices, Values } from '../../page/plan/data.js';

/** Three values: a parameter of 10 bytes, `a` of 100 and `b` of 40, each made by a step; blocks have 64 bytes. */
const values = new Values({
  name: [0, 'w', 0, 'block.0.a', 8, 'b'],
  type: [0, 0, 0],
  size: [10, 100, 40],
  elements: [10, 0, 0],
  at: [0, 0, 0],
  scope: [0, 1, 1],
  phase: [0, 0, 0],
  op: [0, 1, 1],
  cost: [-1, 30, 5],
  result: [0, 0, 0],
  flops: [0, 8, 2],
  storage: [-1, -1, -1],
  consumers: [[1], [2], []],
}, { types: ['f32[1]'], places: ['m.model:1:1'], scopes: ['', 'block.0'], ops: ['input', 'add'] });

/** Steps a, b, a again with a scratch of one block; `b` takes the place of the first `a` but for a block. */
const columns = /** @type {any} */ ({
  chosen: true,
  sums: {},
  peakStep: 2,
  states: 'acb',
  steps: { value: [1, 1, -1], again: 'aab', more: [0, 0, 2] },
  stays: {
    value: [0, 1, 1, -1, -2],
    again: 'aaaba',
    kind: 'afhgi',
    offset: [0, 1, 1, 2, 4],
    more: [0, 0, 0, 0, 1],
    first: [0, 0, 1, 1, 0],
    span: [2, 0, 1, 0, 0],
  },
  retained: { value: [2], reason: [0], reasons: ['small'] },
  recomputed: { value: [1], times: [1], cost: [30] },
  reliefs: { value: [2], peakBytes: [-64], cost: [5] },
});
const plan = new Plan(columns, values, 64, 9);

export function differencesAndLettersAreUndone() {
  assert.deepEqual(summed([3, 2, -4]), [3, 5, 1]);
  assert.deepEqual([...letters('aci')], [0, 2, 8]);
  assert.deepEqual(texts([0, 'block.0.a', 6, '1.a', 0, '']), ['block.0.a', 'block.1.a', '']);
}

export function stepsRunAsOftenAsTheirSection() {
  assert.deepEqual([...plan.stepTimes], [1, 1, 1]);
  const cut = new Plan(/** @type {any} */ ({
    ...columns,
    sums: {
      sections: [{ name: 'micro-batch', from: 0, to: 2, times: 4 }, { name: 'update', from: 2, to: 3, times: 1 }],
    },
  }), values, 64, 9);
  assert.deepEqual([...cut.stepTimes], [4, 4, 1]);
  assert.deepEqual([plan.sections.length, cut.sections.length], [0, 2]);
}

export function namesAndReadersAreThoseOfTheColumns() {
  assert.deepEqual(values.name, ['w', 'block.0.a', 'block.0.b']);
  assert.deepEqual(values.consumers, [[1], [2], []]);
  assert.equal(values.scope[1], 'block.0');
}

export function costsAndBytesHaveWhatIsMoreThanTheirValues() {
  assert.deepEqual(plan.stepCost, [30, 5, 32]);
  assert.deepEqual(plan.bytes, [64, 128, 64, 128, 64]);
  assert.deepEqual(plan.offset, [0, 64, 64, 128, 256]);
}

export function liveBytesAreThoseOfWhatIsThere() {
  assert.deepEqual([...plan.total], [192, 128, 320]);
  assert.deepEqual([...plan.live[5]], [128, 0, 0]);
  assert.deepEqual([...plan.live[8]], [0, 0, 64]);
}

export function whatIsAtAStepIsLargestFirst() {
  assert.deepEqual(plan.at(0), [1, 0]);
  assert.deepEqual(plan.at(2), [3, 0, 2, 4]);
}

export function anAddressIsHitWhereSomethingLies() {
  assert.equal(plan.hit(0, 191), 1);
  assert.equal(plan.hit(0, 192), -1);
  assert.equal(plan.hit(1, 64), 2);
  assert.equal(plan.hit(2, 130), 3);
}

export function staysReasonsAndRepeatsAreFoundByValue() {
  assert.deepEqual(plan.staysOf.get(1), [1, 3]);
  assert.equal(plan.retained.get(2), 'small');
  assert.deepEqual(plan.recomputed.get(1), { times: 1, cost: 30 });
  assert.equal(plan.retained.get(1), undefined);
}

export function pricesAreFoundByValue() {
  const found = prices({ value: [1, 1], change: ['keep', 'drop'], obstacle: [null, 'the model pins it'],
    peakBytes: [64, 0], cost: [-30, 0], fitsBudget: [true, null], instead: [null, [-64, 5]],
    runs: [[1], []], from: [[0], []],
    removed: [[1], []] });
  assert.equal(found.get(1)?.cost, -30);
  assert.equal(found.get(2)?.obstacle, 'the model pins it');
  assert.deepEqual([found.get(1)?.instead, found.get(2)?.instead], [null, [-64, 5]]);
  assert.equal(found.get(0), undefined);
}
