// The page of a sweep over rates: what a link's rate does to the time of plans, by budget.

import { drawBottomAxis, drawLeftAxis } from './axes.js';
import { h, replace } from './dom.js';
import { bytes, decimal, metric, modelTitle, percent, precise } from './format.js';
import { moved } from './range.js';
import { plot } from './plot.js';
import { drawMark, markAt, seriesColour, seriesDashes, seriesLegend } from './series.js';
import { fillPage } from './shell.js';
import { rateText, roundTrip } from './sweep/links.js';
import { drawLine, drawRing } from './strokes.js';
import { figures, table } from './table.js';
import { colour } from './theme.js';
import { showTips } from './tooltip.js';

/** @typedef {import('./sweep/links.js').Rates} Rates */
/** @typedef {import('./sweep/links.js').RateFields} RateFields */
/** @typedef {import('./sweep/links.js').PlanFields} PlanFields */

const GIGA = 1e9;

/**
 * @param {Rates} data
 * @param {HTMLElement} place
 */
export function show(data, place) {
  const budgetText = (/** @type {number} */ budget) => `${bytes(budget)}, ${percent(budget / data.keepAllBytes)}`;
  const detail = h('p', { role: 'status', class: 'detail', id: 'plan' });
  const points = data.rates.flatMap((rate) => rate.plans.map((plan, series) => ({ rate, plan, series })))
    .filter(({ plan }) => plan.overhead !== null)
    .sort((a, b) => roundTrip(a.rate) - roundTrip(b.rate) || a.series - b.series);
  let current = -1;

  /** @param {{ rate: RateFields, plan: PlanFields, series: number }} point */
  function describe({ rate, plan, series }) {
    const still = data.still[series].overhead;
    const within = `: within ${budgetText(plan.budgetBytes)} of keeping all, `;
    return [h('strong', {}, rateText(rate)), within, `${plan.by} takes ${precise(plan.overhead ?? 0)} more time`,
      still === null ? '; without moving no plan was found' : `; without moving ${precise(still)}`];
  }

  /** @param {import('./plot.js').Frame} frame */
  function scales(frame) {
    const trips = data.rates.map(roundTrip);
    const x = d3.scaleLog().domain([Math.min(...trips) / 1.3 / GIGA, Math.max(...trips) * 1.3 / GIGA])
      .range([frame.left, frame.right]);
    const highest = Math.max(0.01, ...points.map(({ plan }) => plan.overhead ?? 0),
      ...data.still.map(({ overhead }) => overhead ?? 0));
    const y = d3.scaleLinear().domain([0, highest * 1.1]).range([frame.bottom, frame.top]);
    return { x, y };
  }

  const chart = plot({
    label: `Overhead of ${points.length} plans over the rate of the link to the ${data.tier}; arrow keys go through`
      + ' them',
    height: 400,
    draw,
  });

  /** @param {import('./plot.js').Frame} frame */
  function draw(frame) {
    const { context } = frame;
    const { x, y } = scales(frame);
    drawLeftAxis(frame, y, y.ticks(Math.max(2, (frame.bottom - frame.top) / 40)), percent);
    drawBottomAxis(frame, x, 'GB/s', decimal, (tick) => /^[125]/.test(tick.toExponential()));
    data.still.forEach(({ overhead }, series) => {
      const mine = points.filter((point) => point.series === series);
      drawLine(context, mine.map(({ rate, plan }) => [x(roundTrip(rate) / GIGA), y(plan.overhead ?? 0)]),
        seriesColour(series), 2, seriesDashes(series));
      if (overhead !== null) {
        // What moves nothing, at the left edge.
        context.fillStyle = seriesColour(series);
        context.fillRect(frame.left, y(overhead) - 1, 22, 3);
      }
      mine.forEach(({ rate, plan }) =>
        drawMark(context, series, x(roundTrip(rate) / GIGA), y(plan.overhead ?? 0), 5));
    });
    const chosen = points[current];
    if (chosen !== undefined) {
      drawRing(context, x(roundTrip(chosen.rate) / GIGA), y(chosen.plan.overhead ?? 0), 11, colour('accent'));
    }
  }

  /** @param {number} index */
  function choose(index) {
    current = index;
    replace(detail, ...describe(points[index]));
    chart.redraw();
  }

  showTips(chart.canvas, (event) => {
    const { x, y } = scales(chart.frame());
    const nearest = markAt(event, points.map(({ rate, plan }) =>
      [x(roundTrip(rate) / GIGA), y(plan.overhead ?? 0)]));
    if (nearest < 0) {
      return [];
    }
    choose(nearest);
    return describe(points[nearest]);
  });
  chart.canvas.addEventListener('keydown', (event) => {
    const goal = moved(event.key, current, points.length, data.still.length);
    if (goal !== null && points.length > 0 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      choose(goal);
    }
  });

  const rows = [
    ...data.still.map((plan) => ({ rate: /** @type {RateFields | null} */ (null), plan })),
    ...data.rates.flatMap((rate) => rate.plans.map((plan) => ({ rate, plan }))),
  ];
  const plans = table({
    name: 'rates',
    rows,
    columns: [
      { name: 'Link', field: 'link', value: ({ rate }) => (rate === null ? 'nothing moved' : rateText(rate)) },
      { name: 'Round trip', field: 'roundTripBytesPerSecond', number: true,
        value: ({ rate }) => (rate === null ? null : Math.round(roundTrip(rate))),
        show: ({ rate }) => (rate === null ? '' : `${metric(roundTrip(rate))}B/s`) },
      figures('Budget', 'budgetBytes', ({ plan }) => plan.budgetBytes, bytes),
      { name: 'Overhead', field: 'overhead', number: true, value: ({ plan }) => plan.overhead,
        show: ({ plan }) => (plan.overhead === null ? 'no plan found' : precise(plan.overhead)) },
      figures('Arena', 'bytes', ({ plan }) => plan.bytes, bytes),
      { name: 'By', field: 'by', value: ({ plan }) => plan.by },
    ],
  });
  fillPage(place, `${modelTitle(data)}: time by the rate of the link to the ${data.tier}`, [
    h('p', { class: 'quiet' }, `Costs by ${data.costModel}, on ${data.target}; overhead is what is computed again and`
      + ' what kernels wait for.'),
  ], [
    {
      id: 'rates',
      title: 'Rates',
      hint: 'A line for each budget; each mark is the best plan found for a link, by what a round trip takes. The short'
        + ' bars on the left are plans that move nothing. Point at a mark, or move with the arrow keys.',
      content: [chart.element, seriesLegend('Budgets', data.still.map((plan) => budgetText(plan.budgetBytes)), 'line'),
        detail],
    },
    { id: 'plans', title: 'All plans', hint: 'Every link and budget.', content: [plans.element] },
  ]);
}
