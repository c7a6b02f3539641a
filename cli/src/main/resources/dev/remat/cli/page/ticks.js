// Where the marks of axes stand.

/**
 * Round numbers of bytes from 0 up: multiples of a power of two.
 *
 * @param {number} most
 * @param {number} about how many
 */
export function byteTicks(most, about) {
  let step = 1;
  while (most / step > about) {
    step *= 2;
  }
  const ticks = [];
  for (let tick = 0; tick <= most; tick += step) {
    ticks.push(tick);
  }
  return ticks;
}
