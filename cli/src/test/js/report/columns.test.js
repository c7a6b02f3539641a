import assert from 'node:assert/strict';
import { chartsOf, extent, nearest } from '../../page/report/columns.js';

export function chartsStandInTheOrderInWhichPeopleAsk() {
  const charts = chartsOf(['loss', 'loss/critic', 'output/accuracy', 'rate/a', 'rate/b', 'scaling/scale', 'millis',
    'memory/arena_bytes', 'memory/high_water_bytes', 'mine', 'eval/loss', 'eval/output/accuracy', 'eval/extra']);
  assert.deepEqual(charts.map((chart) => chart.names), [
    ['loss', 'eval/loss'],
    ['loss/critic'],
    ['output/accuracy', 'eval/output/accuracy'],
    ['rate/a', 'rate/b'],
    ['millis'],
    ['memory/arena_bytes', 'memory/high_water_bytes'],
    ['scaling/scale'],
    ['mine'],
    ['eval/extra'],
  ]);
  assert.deepEqual(charts.slice(0, 6).map((chart) => chart.title),
    ['Loss', 'Loss critic', 'accuracy', 'Learning rate', 'Time of a step', 'Memory']);
  assert.deepEqual(charts.map((chart) => chart.unit).slice(4, 6), ['millis', 'bytes']);
  assert.equal(new Set(charts.map((chart) => chart.id)).size, charts.length);
}

export function whatIsMovedStandsBesideTheTime() {
  const charts = chartsOf(['loss', 'millis', 'moved/stored_bytes', 'moved/fetched_bytes', 'moved/exposed_millis',
    'memory/arena_bytes']);
  assert.deepEqual(charts.slice(2).map(({ names, title, unit }) => [names.length, title, unit]), [
    [2, 'Moved in a step', 'bytes'],
    [1, 'Waiting for transfers in a step', 'millis'],
    [1, 'Memory', 'bytes'],
  ]);
}

export function theNearestStepIsFound() {
  const steps = [10, 20, 40];
  assert.deepEqual([0, 10, 14, 15, 16, 29, 30, 31, 99].map((step) => steps[nearest(steps, step)]),
    [10, 10, 10, 10, 20, 20, 20, 40, 40]);
  assert.equal(nearest([], 3), -1);
}

export function missingValuesHaveNoExtent() {
  assert.deepEqual(extent([3, null, -1]), [-1, 3]);
  assert.equal(extent([null]), null);
  assert.equal(extent([]), null);
}
