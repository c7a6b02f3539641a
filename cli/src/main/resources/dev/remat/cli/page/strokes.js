// Lines on a canvas.

/** @typedef {[number, number] | null} Corner null where a line ends and another begins */

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Corner[]} corners
 * @param {string} ink a colour
 * @param {number} width
 * @param {number[]} [dashes]
 */
export function drawLine(context, corners, ink, width, dashes = []) {
  context.strokeStyle = ink;
  context.lineWidth = width;
  context.setLineDash(dashes);
  context.beginPath();
  corners.forEach((corner, i) => {
    if (corner !== null && (corners[i - 1] ?? null) === null) {
      context.moveTo(...corner);
    } else if (corner !== null) {
      context.lineTo(...corner);
    }
  });
  context.stroke();
  context.setLineDash([]);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} r
 * @param {string} ink a colour
 */
export function drawRing(context, x, y, r, ink) {
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.strokeStyle = ink;
  context.lineWidth = 2;
  context.stroke();
}
