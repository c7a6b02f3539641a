// Links to what lies below the arena, by their rates.

import { decimal, metric } from '../format.js';

/**
 * @typedef {{ budgetBytes: number, by: string | null, bytes: number | null, cost: number | null,
 *   overhead: number | null }} PlanFields null where none fits
 * @typedef {{ storeBytesPerSecond: number, fetchBytesPerSecond: number, latencyNanos: number,
 *   plans: PlanFields[] }} RateFields
 * @typedef {{ model: string, symbols: Record<string, number>, target: string, costModel: string, tier: string,
 *   keepAllBytes: number, still: PlanFields[], rates: RateFields[] }} Rates what `sweep --rates --json` prints
 */

/**
 * Bytes a second of a round trip, both ways counted.
 *
 * @param {RateFields} rate
 */
export function roundTrip({ storeBytesPerSecond: store, fetchBytesPerSecond: fetch }) {
  return 2 / (1 / store + 1 / fetch);
}

/** @param {RateFields} rate */
export function rateText({ storeBytesPerSecond, fetchBytesPerSecond, latencyNanos }) {
  const ways = storeBytesPerSecond === fetchBytesPerSecond ? `${metric(storeBytesPerSecond)}B/s`
    : `${metric(storeBytesPerSecond)}B/s out, ${metric(fetchBytesPerSecond)}B/s in`;
  return latencyNanos === 0 ? ways : `${ways}, ${decimal(latencyNanos / 1000)} µs`;
}
