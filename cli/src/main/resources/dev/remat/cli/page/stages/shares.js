// Many intervals as fewer things to draw.

/** @typedef {import('./data.js').Segments} Segments */

/**
 * Of each column of pixels, what share of its time each kind takes, so that areas are times however many there are.
 *
 * @param {Segments} segments in order, none over another
 * @param {number} kinds
 * @param {number} start of the first column
 * @param {number} end of the last
 * @param {number} columns
 */
export function shares({ from, to, kind }, kinds, start, end, columns) {
  const parts = Array.from({ length: kinds }, () => new Float32Array(columns));
  const scale = columns / (end - start);
  for (let i = 0; i < from.length && from[i] < end; i++) {
    const left = Math.max(0, (from[i] - start) * scale);
    const right = Math.min(columns, (to[i] - start) * scale);
    if (right <= left) {
      continue;
    }
    const part = parts[kind[i]];
    const first = Math.floor(left);
    const last = Math.min(columns - 1, Math.floor(right));
    if (first === last) {
      part[first] += right - left;
    } else {
      part[first] += first + 1 - left;
      part.fill(1, first + 1, last);
      part[last] += right - last;
    }
  }
  return parts;
}
