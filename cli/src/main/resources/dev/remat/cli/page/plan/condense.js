// Many steps as fewer things to draw.

/**
 * The fullest step in each column of pixels.
 *
 * @param {ArrayLike<number>} total
 * @param {number} from a step, as a fraction
 * @param {number} to
 * @param {number} columns
 */
export function fullest(total, from, to, columns) {
  const steps = new Int32Array(columns);
  const each = (to - from) / columns;
  for (let column = 0; column < columns; column++) {
    const begin = Math.max(0, Math.floor(from + column * each));
    const end = Math.min(total.length, Math.max(begin + 1, Math.floor(from + (column + 1) * each)));
    let best = Math.min(begin, total.length - 1);
    for (let step = best + 1; step < end; step++) {
      best = total[step] > total[best] ? step : best;
    }
    steps[column] = best;
  }
  return steps;
}

/**
 * Stretches of steps of one phase; what is computed again belongs to the steps before it.
 *
 * @param {number} count
 * @param {(step: number) => string} phase
 * @param {(step: number) => boolean} again
 */
export function stretches(count, phase, again) {
  const found = [];
  for (let from = 0; from < count;) {
    let to = from + 1;
    while (to < count && (again(to) || phase(to) === phase(from))) {
      to++;
    }
    found.push({ phase: phase(from), from, to });
    from = to;
  }
  return found;
}

/**
 * Whether any step of each column of pixels has a mark.
 *
 * @param {ArrayLike<number>} marks 1 or 0 for each step
 * @param {number} from a step, as a fraction
 * @param {number} to
 * @param {number} columns
 */
export function anyIn(marks, from, to, columns) {
  const any = new Uint8Array(columns);
  const each = (to - from) / columns;
  for (let step = Math.max(0, Math.floor(from)); step < Math.min(marks.length, to); step++) {
    if (marks[step]) {
      const begin = Math.max(0, Math.floor((step - from) / each));
      const end = Math.min(columns, Math.max(begin + 1, Math.floor((step + 1 - from) / each)));
      any.fill(1, begin, end);
    }
  }
  return any;
}
