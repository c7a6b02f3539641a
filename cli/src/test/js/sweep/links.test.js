import assert from 'node:assert/strict';
import { rateText, roundTrip } from '../../page/sweep/links.js';

export function aRoundTripIsAsSlowAsBothWaysTogether() {
  const rate = (/** @type {number} */ store, /** @type {number} */ fetch) =>
    roundTrip({ storeBytesPerSecond: store, fetchBytesPerSecond: fetch, latencyNanos: 0, plans: [] });
  assert.equal(rate(8, 8), 8);
  assert.equal(rate(2, 6), 3);
}

export function linksAreToldAsBrieflyAsTheyCanBe() {
  const link = { storeBytesPerSecond: 4e8, fetchBytesPerSecond: 4e8, latencyNanos: 0, plans: [] };
  assert.equal(rateText(link), '400 MB/s');
  assert.equal(rateText({ ...link, fetchBytesPerSecond: 2e9, latencyNanos: 80_000 }), '400 MB/s out, 2 GB/s in, 80 µs');
}
