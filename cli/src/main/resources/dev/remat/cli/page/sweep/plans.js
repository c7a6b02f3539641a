// The plans of a sweep.

/**
 * @typedef {object} PlanFields
 * @property {string} [strategy] as asked
 * @property {string | null} [by] which one made it
 * @property {number} bytes
 * @property {number} cost
 * @property {number} overhead
 */

/**
 * @typedef {object} BudgetFields
 * @property {number} budgetBytes
 * @property {PlanFields[]} plans one of every strategy
 * @property {number | null} lowerBoundOverhead what every plan within it recomputes; null below the floor
 * @property {boolean} proven
 */

/**
 * @typedef {object} SweepFields what `sweep --json` prints
 * @property {string} model
 * @property {Record<string, number>} symbols
 * @property {string | null} target
 * @property {string | null} costModel
 * @property {'arena' | 'peak'} measure
 * @property {{ name: string, storeBytesPerSecond: number, fetchBytesPerSecond: number }[]} [tiers] below the device
 * @property {number} keepAllBytes
 * @property {number} floorBytes
 * @property {string} floorSetBy
 * @property {number} smallestFoundBytes
 * @property {number} baselineCost
 * @property {BudgetFields[]} budgets
 * @property {PlanFields[]} frontier
 */

/**
 * @typedef {object} Point a plan
 * @property {string} strategy that made it
 * @property {number} series of that strategy
 * @property {number} bytes
 * @property {number} cost
 * @property {number} overhead
 * @property {boolean} onFrontier
 * @property {boolean} proven whether no plan within some budget costs less
 */

/**
 * Every plan once, the largest first, and the strategies that made them.
 *
 * @param {SweepFields} sweep
 * @returns {{ points: Point[], strategies: string[] }}
 */
export function plansOf(sweep) {
  /** @type {string[]} */
  const strategies = [];
  /** @type {Map<string, Point>} */
  const points = new Map();
  const add = (/** @type {PlanFields} */ plan, /** @type {string} */ strategy, /** @type {boolean} */ onFrontier) => {
    if (!strategies.includes(strategy)) {
      strategies.push(strategy);
    }
    const key = `${strategy} ${plan.bytes} ${plan.cost}`;
    points.set(key, points.get(key) ?? {
      strategy, series: strategies.indexOf(strategy), bytes: plan.bytes, cost: plan.cost, overhead: plan.overhead,
      onFrontier, proven: plan.overhead === 0,
    });
  };
  sweep.frontier.forEach((plan) => add(plan, plan.strategy ?? '', true));
  for (const budget of sweep.budgets) {
    budget.plans.forEach((plan) => plan.by && add(plan, plan.by, false));
  }
  const all = [...points.values()].sort((a, b) => b.bytes - a.bytes || a.cost - b.cost);
  for (const budget of sweep.budgets) {
    const best = bestWithin(sweep, budget.budgetBytes);
    all.filter((point) => budget.proven && best !== null && point.bytes === best.bytes && point.cost === best.cost)
      .forEach((point) => {
        point.proven = true;
      });
  }
  return { points: all, strategies };
}

/**
 * The cheapest plan found within a budget.
 *
 * @param {SweepFields} sweep
 * @param {number} budget in bytes
 * @returns {PlanFields | null}
 */
export function bestWithin(sweep, budget) {
  return sweep.frontier.find((plan) => plan.bytes <= budget) ?? null;
}
