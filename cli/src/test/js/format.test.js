import assert from 'node:assert/strict';
import { bytes, bytesChange, count, counted, decimal, metric, modelTitle, percent, time } from '../page/format.js';

export function bytesHaveThreeDigitsAndAUnit() {
  assert.equal(bytes(0), '0 B');
  assert.equal(bytes(1000), '1000 B');
  assert.equal(bytes(1536), '1.50 KiB');
  assert.equal(bytes(10 * 1024), '10.0 KiB');
  assert.equal(bytes(100 * 1024), '100 KiB');
  assert.equal(bytes(1024 ** 3), '1.00 GiB');
  assert.equal(bytes(-1536), '−1.50 KiB');
}

export function roundingNeverShowsAThousandAndTwentyFour() {
  assert.equal(bytes(1024 ** 2 - 1), '1.00 MiB');
  assert.equal(bytes(1023 * 1024), '1023 KiB');
}

export function titlesTellHowABatchIsCut() {
  const plan = { model: 'Gpt', symbols: { B: 16, T: 128 } };
  assert.equal(modelTitle(plan), 'Gpt with B=16, T=128');
  assert.equal(modelTitle({ ...plan, microBatches: 8 }), 'Gpt with B=16, T=128 in 8 micro-batches');
  assert.equal(modelTitle({ ...plan, symbols: {} }), 'Gpt');
}

export function changesHaveASign() {
  assert.equal(bytesChange(2048), '+2.00 KiB');
  assert.equal(bytesChange(-2048), '−2.00 KiB');
  assert.equal(bytesChange(0), '0 B');
}

export function thousandsStandApart() {
  assert.equal(count(999), '999');
  assert.equal(count(1234567), '1\u202f234\u202f567');
  assert.equal(counted(1, 'step'), '1 step');
  assert.equal(counted(2, 'step'), '2 steps');
}

export function decimalsHaveThreeDigits() {
  assert.equal(decimal(0.123456), '0.123');
  assert.equal(decimal(24.98), '25');
  assert.equal(decimal(-1.5), '−1.5');
  assert.equal(decimal(12345.6), '12\u202f346');
  assert.equal(percent(0.12749), '12.7 %');
  assert.equal(metric(1.25e12), '1.25 T');
  assert.equal(metric(999), '999');
}

export function longTimesAreSeconds() {
  assert.equal(time(0.0958), '0.0958 ms');
  assert.equal(time(999), '999 ms');
  assert.equal(time(150987), '151 s');
  assert.equal(time(-1500), '−1.5 s');
}
