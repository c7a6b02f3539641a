// Numbers as people read them. The exact ones stand beside them as `title`, and in tables that are saved.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/**
 * Three digits, as remat prints them elsewhere: `1.39 GiB`.
 *
 * @param {number} bytes
 */
export function bytes(bytes) {
  let unit = 0;
  let value = Math.abs(bytes);
  while (value >= 1023.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${bytes < 0 ? '−' : ''}${value.toFixed(digits)} ${UNITS[unit]}`;
}

/**
 * What a plan is of: `Gpt with B=16, T=128 in 8 micro-batches`.
 *
 * @param {{ model: string, symbols: Record<string, number>, microBatches?: number }} plan
 */
export function modelTitle(plan) {
  const symbols = Object.entries(plan.symbols).map(([name, extent]) => `${name}=${extent}`).join(', ');
  return plan.model + (symbols && ` with ${symbols}`)
    + (plan.microBatches === undefined ? '' : ` in ${plan.microBatches} micro-batches`);
}

/**
 * With a sign: `+1.39 GiB`.
 *
 * @param {number} change
 */
export function bytesChange(change) {
  return change > 0 ? `+${bytes(change)}` : bytes(change);
}

/**
 * With spaces between thousands.
 *
 * @param {number} value
 */
export function count(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/**
 * Three digits or, of whole numbers, all.
 *
 * @param {number} value
 */
export function decimal(value) {
  const size = Math.abs(value);
  if (size >= 1000 || value === 0) {
    return count(value).replace(/^-/, '−');
  }
  return String(Number(value.toPrecision(3))).replace(/^-/, '−');
}

/**
 * A time: `0.123 ms`, `12.3 s`.
 *
 * @param {number} millis
 */
export function time(millis) {
  return Math.abs(millis) < 1000 ? `${decimal(millis)} ms` : `${decimal(millis / 1000)} s`;
}

/** @param {number} share of one */
export function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

/** @param {number} share of one, to which bounds may be near */
export function precise(share) {
  return `${(100 * share).toFixed(2)} %`;
}

/**
 * Large numbers of operations: `1.2 T`.
 *
 * @param {number} value
 */
export function metric(value) {
  const units = ['', ' k', ' M', ' G', ' T', ' P', ' E'];
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return Number(value.toPrecision(3)) + units[unit];
}

/**
 * A number and its noun: `1 step`, `2 steps`.
 *
 * @param {number} number
 * @param {string} noun
 */
export function counted(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}
