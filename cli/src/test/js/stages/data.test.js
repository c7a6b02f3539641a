import assert from 'node:assert/strict';
import { concerns, messagesOf, RUNS, Stage } from '../../page/stages/data.js';

/**
 * A kernel `a` of 10 ns of forward 0 sends a message; `a` again and `b`, of backward 0, wait 5 ns in between for one;
 * `step` is of no visit. Blocks have 64 bytes; 2 of them are there throughout, 1 from the message to `b`.
 */
const stage = new Stage({
  visits: { phase: 'ab', part: [1, 1], microBatch: [0, 0] },
  steps: { name: [0, 'a', 0, 'a #0', 1, '\'', 0, 'b', 0, 'step'], begin: [0, 10, 0, 9, 10], span: [10, 0, 4, 10, 7],
    kind: 'afebd', visit: [0, 1, 0, 0, -2] },
  waits: { name: [0, 'g #1'], ranks: 'a', step: [3], begin: [14], span: [5] },
  exchanges: { name: [0, 'w', 0, 'v'], step: [1, 1], begin: [10, 6], span: [4, 20] },
  stays: { name: [0, -1], kind: 'ag', offset: [0, 2], blocks: [2, 1], first: [0, 1], span: [5, 2] },
  names: ['w'],
}, 1, 64);

export function whatFollowsOfOneKindIsOneSegmentAndWaitsAreTheirOwn() {
  const { from, to, kind } = stage.segments;
  assert.deepEqual(kind.map((each) => RUNS[each]), ['forward', 'again', 'waits', 'backward', 'other']);
  assert.deepEqual(from, [0, 10, 14, 19, 29]);
  assert.deepEqual(to, [10, 14, 19, 29, 36]);
  assert.equal(stage.end, 36);
}

export function stretchesAreVisitsWithWhatTheyComputeAgainAndWaitFor() {
  assert.deepEqual(stage.stretches.map(({ visit, kernels, begin, end, computes, again, waits }) =>
    [visit, kernels, begin, end, computes, again, waits]), [
    [0, 1, 0, 10, 10, 0, 0],
    [1, 2, 10, 29, 14, 4, 5],
    [-1, 1, 29, 36, 7, 0, 0],
  ]);
  assert.equal(stage.again, 4);
}

export function bytesStayUntilTheNextStepBegins() {
  assert.deepEqual([...stage.live.slice(0, 5)], [128, 192, 192, 192, 128]);
  assert.deepEqual([stage.first, stage.last], [[0, 10], [35, 28]]);
  assert.equal(stage.hit(28, 130), 1);
  assert.equal(stage.hit(29, 130), -1);
  assert.equal(stage.stretches[1].bytes, 192);
}

export function aTimeHasItsKernelWaitAndStretch() {
  assert.equal(stage.name(stage.kernelAt(20)), 'b');
  assert.deepEqual([stage.kernelAt(15), stage.waitAt(15), stage.waitAt(20)], [-1, 0, -1]);
  assert.deepEqual([stage.stretchAt(0), stage.stretchAt(15), stage.stretchAt(99)], [0, 1, 2]);
}

export function exchangesRunBesideKernels() {
  assert.deepEqual([9, 10, 13, 14, 16, 35, 36].map((time) => stage.exchangeAt(time)), [-1, 0, 0, -1, 1, 1, -1]);
}

export function messagesConcernTheStretchesAtBothEnds() {
  const [sent, taken] = messagesOf({ name: [0, 'a #0', 0, 'g #1'], from: [1, 0], to: [0, 1], bytes: [8, 8],
    sent: [10, -5], sentStep: [1, 5], taken: [12, -12], arrived: [13, 6], awaited: [7, -4] });
  assert.deepEqual([taken.sent, taken.taken, taken.arrived, taken.awaited], [5, 0, 19, 3]);
  const [forward, backward, step] = stage.stretches;
  assert.deepEqual([forward, backward, step].map((each) => concerns(each, sent)), [true, false, false]);
  assert.deepEqual([forward, backward, step].map((each) => concerns(each, taken)), [false, true, false]);
}

export function aStageThatDoesNothingHasNoStretch() {
  const idle = new Stage({ visits: { phase: '', part: [], microBatch: [] }, names: [],
    steps: { name: [], begin: [], span: [], kind: '', visit: [] },
    waits: { name: [], ranks: '', step: [], begin: [], span: [] },
    exchanges: { name: [], step: [], begin: [], span: [] },
    stays: { name: [], kind: '', offset: [], blocks: [], first: [], span: [] } }, 0, 64);
  assert.deepEqual([idle.stretches.length, idle.segments.kind.length, idle.end, idle.kernelAt(3)], [0, 0, 0, -1]);
}
