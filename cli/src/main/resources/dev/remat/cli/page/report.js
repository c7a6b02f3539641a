// The page of training runs: what each has logged, step by step.

import { chartsOf, nearest } from './report/columns.js';
import { h, replace } from './dom.js';
import { bytes, count, decimal, modelTitle, percent } from './format.js';
import { exact, linesChart } from './report/lines.js';
import { Range } from './range.js';
import { seriesLegend } from './series.js';
import { factTiles, fillPage } from './shell.js';
import { figures, table } from './table.js';

/**
 * @typedef {object} ColumnFields
 * @property {string} name
 * @property {number} values
 * @property {number | null} first
 * @property {number | null} last
 * @property {number | null} least
 * @property {number} leastStep
 * @property {number | null} greatest
 * @property {number} greatestStep
 * @property {number | null} mean
 * @property {number | null} median
 * @property {number} notFinite
 */

/** @typedef {{ name: string, at: string, runs: number, predictedMillis: number, measuredMillis: number }} KernelLine */

/**
 * @typedef {Pick<import('./diff/compared.js').PlanFields, 'model' | 'symbols' | 'microBatches' | 'target' | 'strategy'
 *   | 'budgetBytes' | 'arenaBytes' | 'overhead' | 'costModel'>
 *   & { measured: { predictor: string, families: KernelLine[], kernels: KernelLine[] } | null }} PlanFields
 */

/**
 * @typedef {object} RunFields
 * @property {string} name
 * @property {string} folder
 * @property {number} steps
 * @property {number | null} firstStep
 * @property {number | null} lastStep
 * @property {boolean} torn
 * @property {number | null} medianMillis
 * @property {number | null} predictedMillis
 * @property {ColumnFields[]} columns
 * @property {PlanFields | null} plan
 */

/** @typedef {{ name: string, steps: number[], values: (number | null)[] }} Points */
/** @typedef {{ runs: RunFields[], series: Points[][] }} ReportFields what `report --json` prints, and points */

/** @param {number} value */
const millis = (value) => `${decimal(value)} ms`;

const SHOWN = { number: decimal, bytes, millis };

/**
 * @param {ReportFields} report
 * @param {HTMLElement} place
 */
export function show(report, place) {
  const { runs } = report;
  const steps = runs.flatMap((run) => (run.firstStep === null ? [] : [run.firstStep, run.lastStep ?? 0]));
  const first = steps.length === 0 ? 1 : Math.min(...steps);
  const range = new Range(steps.length === 0 ? 1 : Math.max(...steps) - first + 1);
  let log = false;
  const cursor = h('p', { role: 'status', class: 'detail', id: 'cursor' });
  const names = [...new Set(report.series.flat().filter((column) => column.steps.length > 0)
    .map((column) => column.name))];
  const charts = chartsOf(names).map((group) => chart(report, group, {
    range,
    first,
    log: () => log,
    moved: (step) => replace(cursor, ...at(report, step)),
  }));
  const scale = h('button', {
    type: 'button',
    'aria-pressed': 'false',
    click: () => {
      log = !log;
      scale.setAttribute('aria-pressed', String(log));
      range.redraw();
    },
  }, 'Logarithmic');

  fillPage(place, runs.length === 1 ? `Training run ${runs[0]?.name}` : `${runs.length} training runs`, [
    ...runs.map((run) => h('p', { class: 'quiet' }, `${run.name}: ${described(run)}`)),
    runs.length === 1 && runs[0] ? tiles(runs[0]) : seriesLegend('Runs', runs.map((run) => run.name), 'line'),
  ], [
    {
      id: 'charts',
      title: 'Step by step',
      hint: 'All charts show the same steps: drag to move, Ctrl and the wheel or + and − to zoom. Marks are held-back'
        + ' data, dotted lines what the plan predicts; a red cross is a value that is infinite or no number.',
      content: [
        range.buttons('All steps', 'Show all steps', scale),
        cursor,
        h('div', { class: 'small-multiples' }, ...charts),
      ],
    },
    {
      id: 'values',
      title: 'What was logged',
      hint: 'Every value of every run, over all its steps.',
      content: [valuesTable(runs).element],
    },
    {
      id: 'prediction',
      title: 'Predicted and measured',
      hint: 'The time of a step as its plan expects it, and the middle of those of the steps that it made.',
      content: [predictionTable(runs).element, ...kernels(runs)],
    },
  ]);
}

/** @param {RunFields} run */
function described(run) {
  const plan = run.plan;
  const logged = run.firstStep === null ? 'nothing is logged yet'
    : `steps ${count(run.firstStep)} to ${count(run.lastStep ?? 0)}`;
  return logged
    + (run.torn ? '; the last row is not whole, as a killed run leaves it' : '')
    + (plan === null ? '; its log does not tell the plan'
      : `; ${modelTitle(plan)}, planned for ${plan.target} by ${plan.strategy}`
        + (plan.budgetBytes === null ? '' : ` within ${bytes(plan.budgetBytes)}`)
        + `, ${percent(plan.overhead)} recomputed`);
}

/** @param {RunFields} run */
function tiles(run) {
  const column = (/** @type {string} */ name) => run.columns.find((each) => each.name === name);
  const loss = (/** @type {string} */ name, /** @type {string} */ field) => {
    const found = column(field);
    return found?.last === null || found === undefined ? [] : [{
      name, value: decimal(found.last), exact: String(found.last),
      note: `least ${decimal(found.least ?? 0)} at step ${count(found.leastStep)}`,
    }];
  };
  const arena = column('memory/arena_bytes');
  return factTiles([
    { name: 'Steps', value: count(run.steps), exact: String(run.steps) },
    ...loss('Loss at the end', 'loss'),
    ...loss('Held-back loss', 'eval/loss'),
    ...(run.medianMillis === null ? [] : [{
      name: 'Time of a step', value: millis(run.medianMillis), exact: String(run.medianMillis),
      note: run.predictedMillis === null ? undefined : `${millis(run.predictedMillis)} predicted`,
    }]),
    ...(arena?.last === null || arena === undefined ? [] : [{
      name: 'Arena', value: bytes(arena.last), exact: String(arena.last),
    }]),
  ]);
}

/**
 * @param {ReportFields} report
 * @param {import('./report/columns.js').ChartColumns} group
 * @param {Pick<import('./report/lines.js').LinesOptions, 'range' | 'first' | 'log' | 'moved'>} shared
 */
function chart(report, group, shared) {
  const alone = report.runs.length === 1;
  const lines = report.runs.flatMap((run, r) => group.names.flatMap((name, n) => {
    const points = report.series[r]?.find((column) => column.name === name);
    return points === undefined || points.steps.length === 0 ? [] : [{
      name: alone ? name : `${run.name} ${name}`,
      look: alone ? n : r,
      marked: name.startsWith('eval/'),
      steps: points.steps,
      values: points.values,
    }];
  }));
  const levels = group.unit !== 'millis' ? [] : report.runs.flatMap((run, r) =>
    (run.predictedMillis === null ? [] : [{ value: run.predictedMillis, text: 'predicted', look: alone ? 0 : r }]));
  const element = linesChart({
    title: group.title, lines, levels, text: SHOWN[group.unit], bytes: group.unit === 'bytes', ...shared,
  });
  return h('div', { id: `chart-${group.id}` },
    h('div', { class: 'chart-title' }, h('h3', {}, group.title)),
    element,
    alone && lines.length > 1 ? seriesLegend(`Lines of ${group.title}`, lines.map((line) => line.name), 'line') : null);
}

/**
 * What was logged at a step, in words.
 *
 * @param {ReportFields} report
 * @param {number} step
 */
function at(report, step) {
  const texts = report.runs.flatMap((run, r) => (report.series[r] ?? []).flatMap((column) => {
    const value = column.values[nearest(column.steps, step)];
    const here = column.steps.includes(step);
    return here ? [`${report.runs.length === 1 ? '' : `${run.name} `}${column.name} `
      + (value === null || value === undefined ? 'no number' : exact(value))] : [];
  }));
  return [h('strong', {}, `step ${count(step)}`), texts.length === 0 ? '' : `: ${texts.join(', ')}`];
}

/** @param {RunFields[]} runs */
function valuesTable(runs) {
  const rows = runs.flatMap((run) => run.columns.map((column) => ({ run: run.name, column })));
  /** @typedef {{ run: string, column: ColumnFields }} Row */
  const figure = (/** @type {string} */ name, /** @type {keyof ColumnFields} */ field) => ({
    name,
    field,
    number: true,
    value: (/** @type {Row} */ row) => row.column[field],
    show: (/** @type {Row} */ row) => {
      const value = row.column[field];
      return typeof value !== 'number' ? 'no number'
        : row.column.name.endsWith('_bytes') && !field.endsWith('Step') ? bytes(value) : decimal(value);
    },
  });
  return table({
    name: 'values',
    rows,
    columns: [
      ...(runs.length === 1 ? [] : [{ name: 'Run', field: 'run', value: (/** @type {Row} */ row) => row.run }]),
      { name: 'Value', field: 'name', value: (/** @type {Row} */ row) => row.column.name },
      figure('First', 'first'),
      figure('Last', 'last'),
      figure('Least', 'least'),
      figures('at step', 'leastStep', (row) => row.column.leastStep),
      figure('Greatest', 'greatest'),
      figures('at step', 'greatestStep', (row) => row.column.greatestStep),
      figure('Mean', 'mean'),
      figure('Median', 'median'),
      figures('Steps', 'values', (row) => row.column.values),
      figures('No numbers', 'notFinite', (row) => row.column.notFinite),
    ],
  });
}

/** @param {RunFields[]} runs */
function predictionTable(runs) {
  const ratio = (/** @type {RunFields} */ run) =>
    (run.medianMillis === null || run.predictedMillis === null ? null : run.medianMillis / run.predictedMillis);
  return table({
    name: 'steps',
    rows: runs,
    columns: [
      { name: 'Run', field: 'run', value: (run) => run.name },
      { name: 'Predicted by', field: 'costModel', value: (run) => run.plan?.costModel ?? null },
      figures('Predicted, ms', 'predictedMillis', (run) => run.predictedMillis, decimal),
      figures('Measured, ms', 'medianMillis', (run) => run.medianMillis, decimal),
      figures('Times as long', 'ratio', ratio, decimal),
    ],
  });
}

/** Kernels of the runs that were planned with a profile. */
function kernels(/** @type {RunFields[]} */ runs) {
  return runs.flatMap((run) => {
    const measured = run.plan?.measured;
    if (!measured) {
      return [];
    }
    const lines = table({
      name: `kernels of ${run.name}`,
      rows: [
        ...measured.families.map((line) => ({ ...line, kind: 'family' })),
        ...measured.kernels.map((line) => ({ ...line, kind: 'kernel' })),
      ],
      sort: 'measuredMillis',
      columns: [
        { name: 'Kernel', field: 'name', value: (line) => line.name,
          show: (line) => h('span', { class: 'name' }, line.name) },
        { name: 'Of', field: 'kind', value: (line) => line.kind },
        { name: 'Place', field: 'at', value: (line) => (line.at.startsWith('<') ? '' : line.at) },
        figures('Runs', 'runs', (line) => line.runs),
        figures('Predicted, ms', 'predictedMillis', (line) => line.predictedMillis, decimal),
        figures('Measured, ms', 'measuredMillis', (line) => line.measuredMillis, decimal),
        figures('Times as long', 'ratio', (line) => line.measuredMillis / line.predictedMillis, decimal),
      ],
    });
    return [h('h3', {}, `Kernels of ${run.name}, predicted by ${measured.predictor}`), lines.element];
  });
}
