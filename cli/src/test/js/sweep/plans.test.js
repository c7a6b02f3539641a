import assert from 'node:assert/strict';
import { bestWithin, plansOf } from '../../page/sweep/plans.js';

const plan = (strategy, bytes, cost, overhead) => ({ strategy, by: strategy, bytes, cost, overhead });
const none = { strategy: 'sqrt', by: null, bytes: null, cost: null, overhead: null };
const SWEEP = {
  frontier: [plan('keep-all', 100, 50, 0), plan('min-cut', 80, 60, 0.2), plan('sqrt', 60, 75, 0.5)],
  budgets: [
    {
      budgetBytes: 90,
      plans: [{ ...plan('auto', 80, 60, 0.2), by: 'min-cut' }, plan('sqrt', 85, 70, 0.4)],
      proven: true,
    },
    { budgetBytes: 70, plans: [{ ...plan('auto', 60, 75, 0.5), by: 'sqrt' }, none], proven: false },
    { budgetBytes: 10, plans: [none, none], proven: false },
  ],
};

export function everyPlanIsThereOnce() {
  const { points, strategies } = plansOf(SWEEP);
  assert.deepEqual(strategies, ['keep-all', 'min-cut', 'sqrt']);
  assert.deepEqual(points.map((p) => p.bytes), [100, 85, 80, 60]);
  assert.deepEqual(points.map((p) => p.onFrontier), [true, false, true, true]);
}

export function whatIsProvenIsTheBestWithinSomeBudgetOrRecomputesNothing() {
  assert.deepEqual(plansOf(SWEEP).points.map((p) => p.proven), [true, false, true, false]);
}

export function theBestWithinABudgetIsTheCheapestThatFits() {
  assert.equal(bestWithin(SWEEP, 79).strategy, 'sqrt');
  assert.equal(bestWithin(SWEEP, 80).strategy, 'min-cut');
  assert.equal(bestWithin(SWEEP, 59), null);
}
