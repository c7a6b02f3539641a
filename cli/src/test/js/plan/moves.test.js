import assert from 'node:assert/strict';
import { movedBytes, Moves, waited } from '../../page/plan/moves.js';

/** Steps of 10, 5 and 20 ns: value 4 leaves behind the first, the last waits for it; value 7 lives on the disk. */
const moves = new Moves({
  places: [{ name: 'host', bytes: 128 }, { name: 'disk', bytes: 64 }],
  end: 45,
  waits: { step: [0, 2], nanos: [2, 6] },
  transfers: { value: [7, 4, 4, 7], place: 'baab', fetch: 'baba', bytes: [64, 100, 100, 64],
    begin: [0, 12, 2, 27], span: [2, 2, 9, 4] },
  copies: { value: [7, 4], place: 'ba', bytes: [64, 128], first: [0, 1], span: [2, 1] },
  ways: { value: [7, 4, 7], after: [-1, 3, -1], before: [2, 5, 6], bytes: [60, 100, 60], exposed: [2, 6, 0],
    place: ['disk', 'host', 'disk'] },
  exchanges: { step: [], awaited: [], bytes: [], begin: [], span: [], waited: [] },
}, [10, 5, 20]);

/** A kernel of 10 ns, two exchanges of 8 and 4 ns that the last of two kernels waits for. */
const exchanged = new Moves({
  places: [],
  end: 25,
  waits: { step: [4], nanos: [7] },
  transfers: { value: [], place: '', fetch: '', bytes: [], begin: [], span: [] },
  copies: { value: [], place: '', bytes: [], first: [], span: [] },
  ways: { value: [], after: [], before: [], bytes: [], exposed: [], place: [] },
  exchanges: { step: [1, 1], awaited: [4, 4], bytes: [64, 32], begin: [10, 8], span: [8, 4], waited: [3, 4] },
}, [10, 99, 99, 5, 3]);

export function kernelsWaitAndTheLanesHaveTheLastWord() {
  assert.deepEqual([...moves.begin], [2, 12, 23, 45]);
  assert.equal(moves.exposed, 10);
}

export function stepsAndTheClockSayTheSame() {
  assert.deepEqual([0, 1, 2, 3].map((step) => moves.time(step)), [0, 12, 17, 45]);
  assert.deepEqual([0, 1, 2].map((step) => moves.step(moves.time(step))), [0, 1, 2]);
  assert.equal(moves.step(16), 1);
  assert.equal(moves.step(1000), 2);
}

export function transfersAreHitInTheirLaneAlone() {
  assert.equal(moves.hit(0, 0, 13), 1);
  assert.equal(moves.hit(0, 1, 13), -1);
  assert.equal(moves.hit(0, 1, 22), 2);
  assert.equal(moves.hit(1, 0, 44), 3);
}

export function bytesBelowAreThoseOfTheCopiesThere() {
  assert.deepEqual(moves.live.map((live) => [...live]), [[0, 128, 128], [64, 64, 64]]);
  assert.equal(moves.most, 192);
}

export function whatIsWaitedForLongestIsFirst() {
  assert.deepEqual(moves.longestWaits(5), [{ value: 4, nanos: 6 }, { value: 7, nanos: 2 }]);
  assert.deepEqual(moves.longestWaits(1), [{ value: 4, nanos: 6 }]);
  const ways = moves.ways.get(7) ?? [];
  assert.deepEqual([ways.length, movedBytes(ways), waited(ways)], [2, 120, 2]);
}

export function noKernelRunsInAnExchange() {
  assert.deepEqual([...exchanged.begin], [0, 10, 10, 10, 22, 25]);
  assert.deepEqual([...exchanged.cost], [10, 0, 0, 5, 3]);
  assert.equal(exchanged.most, 0);
}

export function exchangesAreHitInTheirLane() {
  assert.deepEqual([9, 10, 18, 21, 22].map((time) => exchanged.exchangeAt(time)), [-1, 0, 1, 1, -1]);
  assert.deepEqual(exchanged.longestExchanges(1).map(({ step, waited: nanos }) => [step, nanos]), [[2, 4]]);
  assert.deepEqual(moves.longestExchanges(3), []);
}
