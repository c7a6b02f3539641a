// The time that all charts of a page of stages show, as a range that is zoomed and moved.

import { Range } from '../range.js';

/** @typedef {import('../plot.js').Frame} Frame */

/** Units of the range in a step: what can be told apart at the closest. */
const UNITS = 200_000;

export class Clock {
  /** @param {number} nanos of the step */
  constructor(nanos) {
    this.range = new Range(UNITS);
    this.unit = nanos / UNITS;
  }

  /**
   * From nanoseconds to pixels of a frame.
   *
   * @param {Frame} frame
   */
  scale(frame) {
    const [from, to] = this.range.scale(frame).domain();
    return d3.scaleLinear().domain([from * this.unit, to * this.unit]).range([frame.left, frame.right]);
  }

  /**
   * Where zooming by keys goes to, and what is moved into sight.
   *
   * @param {number} begin
   * @param {number} end
   */
  look(begin, end) {
    this.range.cursor = Math.min(UNITS - 1, (begin + end) / 2 / this.unit);
    this.range.hasCursor = true;
    this.range.reveal(this.range.cursor);
  }
}
