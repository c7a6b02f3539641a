// The page of a sweep: memory against recomputation, by strategy, and what no plan found beats.

import { h, replace } from './dom.js';
import { bytes, count, decimal, metric, modelTitle, percent, precise } from './format.js';
import { frontierChart } from './sweep/frontier.js';
import { bestWithin, plansOf } from './sweep/plans.js';
import { seriesLegend } from './series.js';
import { factTiles, fillPage } from './shell.js';
import { figures, table } from './table.js';

/** @typedef {import('./sweep/plans.js').SweepFields} SweepFields */
/** @typedef {import('./sweep/plans.js').Point} Point */

/**
 * @param {SweepFields} sweep
 * @param {HTMLElement} place
 */
export function show(sweep, place) {
  const { points, strategies } = plansOf(sweep);
  const share = (/** @type {number} */ of) => of / sweep.keepAllBytes;
  const moves = sweep.tiers !== undefined;
  const lost = moves ? 'Overhead' : 'Recomputed';
  const detail = h('p', { role: 'status', class: 'detail', id: 'plan' });
  const chart = frontierChart({
    points,
    keepAllBytes: sweep.keepAllBytes,
    floorBytes: sweep.floorBytes,
    bounds: sweep.budgets.map((budget) => ({ bytes: budget.budgetBytes, overhead: budget.lowerBoundOverhead })),
    measure: sweep.measure,
    describe: describe,
    chosen: (point) => replace(detail, ...describe(point)),
  });

  /** @param {Point} point */
  function describe(point) {
    return [
      h('strong', {}, point.strategy), ` takes ${count(point.bytes)} bytes (${bytes(point.bytes)}, `,
      `${percent(share(point.bytes))} of keeping all) and ${moves ? 'recomputes and waits' : 'recomputes'} `
        + precise(point.overhead),
      point.proven ? `; proven: no plan in as much memory ${moves ? 'takes less time' : 'recomputes less'}`
        : point.onFrontier ? '; no plan found beats it in both' : '; others beat it',
    ];
  }

  const plans = table({
    name: 'plans',
    rows: points,
    sort: 'bytes',
    columns: [
      { name: 'Strategy', field: 'strategy', value: (p) => p.strategy },
      figures('Memory', 'bytes', (p) => p.bytes, bytes),
      figures('Of keeping all', 'share', (p) => share(p.bytes), percent),
      figures(lost, 'overhead', (p) => p.overhead, precise),
      figures('Cost', 'cost', (p) => p.cost, decimal),
      { name: 'Frontier', field: 'frontier', value: (p) => (p.onFrontier ? 'yes' : 'no') },
      { name: 'Proven', field: 'proven', value: (p) => (p.proven ? 'yes' : 'no') },
    ],
  });
  const budgets = table({
    name: 'budgets',
    rows: sweep.budgets.map((budget) => ({ ...budget, best: bestWithin(sweep, budget.budgetBytes) })),
    sort: 'budgetBytes',
    columns: [
      figures('Budget', 'budgetBytes', (b) => b.budgetBytes, bytes),
      { name: 'Best found by', field: 'by', value: (b) => b.best?.strategy ?? null },
      { name: lost, field: 'overhead', number: true, value: (b) => b.best?.overhead ?? null,
        show: (b) => (b.best === null ? 'no plan fits' : precise(b.best.overhead)) },
      figures('At least', 'lowerBoundOverhead', (b) => b.lowerBoundOverhead, precise),
      { name: 'Proven best', field: 'proven', value: (b) => (b.proven ? 'yes' : 'no') },
    ],
  });

  const where = sweep.target === null ? '' : `, on ${sweep.target}`;
  const costs = sweep.costModel === null ? 'Costs are those of the graph' : `Costs by ${sweep.costModel}`;
  fillPage(place, `${modelTitle(sweep)}: memory against ${moves ? 'time' : 'recomputation'}`, [
    h('p', { class: 'quiet' }, `${costs}${where}; memory is the ${sweep.measure} of finished plans.${below(sweep)}`),
    factTiles([
      { name: 'Keeping all', value: bytes(sweep.keepAllBytes), exact: String(sweep.keepAllBytes) },
      { name: 'Smallest found', value: bytes(sweep.smallestFoundBytes), exact: String(sweep.smallestFoundBytes),
        note: `${percent(share(sweep.smallestFoundBytes))} of keeping all` },
      { name: 'Floor', value: bytes(sweep.floorBytes), exact: String(sweep.floorBytes),
        note: `no plan needs less, for ${sweep.floorSetBy}` },
      { name: 'Plans', value: count(points.length), note: `${count(sweep.frontier.length)} on the frontier` },
    ]),
  ], [
    {
      id: 'frontier',
      title: 'Frontier',
      hint: 'Each mark is a plan; the line joins those that no other beats in both memory and recomputation. Below the'
        + ' dotted line no plan can be, proven. Point at a mark, or move with the arrow keys.',
      content: [chart.controls, chart.element, seriesLegend('Strategies', strategies, 'mark'), detail],
    },
    { id: 'budgets', title: 'By budget', hint: 'The cheapest plan found within each budget, and what is proven of all.',
      content: [budgets.element] },
    { id: 'plans', title: 'All plans', hint: 'Everything that was found.', content: [plans.element] },
  ]);
}

/**
 * What lies below the arena, in words.
 *
 * @param {SweepFields} sweep
 */
function below({ tiers = [] }) {
  const rates = tiers.map((tier) =>
    `the ${tier.name} (${metric(tier.storeBytesPerSecond)}B/s out, ${metric(tier.fetchBytesPerSecond)}B/s in)`);
  return tiers.length === 0 ? '' : ` Plans may move tensors to ${rates.join(' and to ')}; overhead is what is computed`
    + ' again and what kernels wait for.';
}
