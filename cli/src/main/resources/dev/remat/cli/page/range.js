// A horizontal range that several plots show together: zoomed and moved by pointer, wheel, fingers, keys and buttons.

import { h } from './dom.js';

/** @typedef {import('./plot.js').Frame} Frame */
/** @typedef {import('./plot.js').Plot} Plot */

/** What the plots show at the closest: so many units. */
const CLOSEST = 8;
const FACTOR = 1.6;

/**
 * Keys that a plot with a cursor knows, and how far each moves it, in units or in ends.
 *
 * @param {string} key
 * @param {number} at where the cursor is
 * @param {number} count of units
 * @param {number} page units that a page has
 * @returns {number | null} where it goes; null for any other key
 */
export function moved(key, at, count, page) {
  const goals = new Map([
    ['ArrowLeft', at - 1],
    ['ArrowRight', at + 1],
    ['PageUp', at - page],
    ['PageDown', at + page],
    ['Home', 0],
    ['End', count - 1],
  ]);
  const goal = goals.get(key);
  return goal === undefined ? null : Math.max(0, Math.min(count - 1, goal));
}

/**
 * The area of a frame in which the range is shown.
 *
 * @param {Frame} frame
 * @returns {[[number, number], [number, number]]}
 */
function inside(frame) {
  return [[frame.left, 0], [frame.right, frame.bottom]];
}

/** The range [0, count) of units, of which plots show a part. */
export class Range {
  /** @type {Plot[]} */
  #plots = [];

  /** @type {d3.ZoomTransform} */
  #transform = d3.zoomIdentity;

  /** @type {d3.Zoom[]} */
  #zooms = [];

  /** The first unit that is shown, in plots of this width. */
  #from = 0;

  #width = 0;

  /** @param {number} count */
  constructor(count) {
    this.count = count;
    this.cursor = 0;
    this.hasCursor = false;
  }

  /**
   * From units to pixels of a frame.
   *
   * @param {Frame} frame
   * @returns {d3.Scale}
   */
  scale(frame) {
    const { k, x } = this.#transform;
    const whole = this.#whole(frame);
    const end = (/** @type {number} */ pixel) => Math.max(0, Math.min(this.count, whole.invert((pixel - x) / k)));
    return whole.domain([end(frame.left), end(frame.right)]);
  }

  /** @param {Frame} frame */
  #whole(frame) {
    return d3.scaleLinear().domain([0, this.count]).range([frame.left, frame.right]);
  }

  /** Units that are shown. */
  get shown() {
    return this.count / this.#transform.k;
  }

  /**
   * Lets a plot show the range, and its pointers change it.
   *
   * @param {Plot} plot
   */
  attach(plot) {
    const index = this.#plots.length;
    this.#plots.push(plot);
    const zoom = d3.zoom()
      .scaleExtent([1, Math.max(1, this.count / CLOSEST)])
      .extent(() => inside(plot.frame()))
      .translateExtent(inside(plot.frame()))
      // A wheel alone scrolls the page.
      .filter((/** @type {MouseEvent} */ event) =>
        event.type === 'wheel' ? event.ctrlKey || event.metaKey || event.shiftKey : event.button === 0)
      .on('zoom', (/** @type {{ transform: d3.ZoomTransform }} */ event) => this.#follow(index, event.transform));
    this.#zooms.push(zoom);
    d3.select(plot.canvas).call(zoom);
    new ResizeObserver(() => this.#resize(index)).observe(plot.element);
  }

  /**
   * Plots of another width show the same part.
   *
   * @param {number} index
   */
  #resize(index) {
    const frame = this.#plots[index].frame();
    this.#zooms[index].translateExtent(inside(frame));
    if (index === 0 && this.#width !== frame.right - frame.left) {
      const from = this.#from;
      this.#width = frame.right - frame.left;
      const { k } = this.#transform;
      const x = frame.left - k * this.#whole(frame)(from);
      this.#follow(-1, d3.zoomIdentity.translate(x, 0).scale(k));
    }
  }

  /**
   * @param {number} index of the plot that was zoomed
   * @param {d3.ZoomTransform} transform
   */
  #follow(index, transform) {
    this.#transform = transform;
    [this.#from] = this.scale(this.#plots[0].frame()).domain();
    this.#plots.forEach((plot, each) => {
      if (each !== index) {
        d3.select(plot.canvas).property('__zoom', transform);
      }
      plot.redraw();
    });
  }

  /**
   * @param {number} factor above 1 to see less and closer
   * @param {number} [about] the unit that stays where it is; the middle if it is not given
   */
  zoomBy(factor, about) {
    const [plot] = this.#plots;
    const point = about === undefined ? undefined : this.scale(plot.frame())(about + 0.5);
    this.#zooms[0].scaleBy(d3.select(plot.canvas), factor, point === undefined ? undefined : [point, 0]);
  }

  showAll() {
    this.#zooms[0].transform(d3.select(this.#plots[0].canvas), d3.zoomIdentity);
  }

  /**
   * Moves as little as shows a unit.
   *
   * @param {number} unit
   */
  reveal(unit) {
    const frame = this.#plots[0].frame();
    const [from, to] = this.scale(frame).domain();
    const shift = unit < from ? unit - from : unit + 1 > to ? unit + 1 - to : 0;
    if (shift !== 0) {
      const pixels = (shift * (frame.right - frame.left)) / this.count;
      this.#zooms[0].translateBy(d3.select(this.#plots[0].canvas), -pixels, 0);
    }
  }

  /** Draws every plot again. */
  redraw() {
    this.#plots.forEach((plot) => plot.redraw());
  }

  /** Another number of units, all of them shown. */
  setCount(/** @type {number} */ count) {
    this.count = count;
    this.cursor = Math.min(this.cursor, count - 1);
    this.#zooms.forEach((zoom) => zoom.scaleExtent([1, Math.max(1, count / CLOSEST)]));
    this.showAll();
    this.redraw();
  }

  /**
   * Buttons for what keys and wheels do, too.
   *
   * @param {string} [all] on the button that shows all
   * @param {string} [title] of that button
   * @param {...HTMLElement} more
   */
  buttons(all = 'Whole step', title = 'Show the whole step', ...more) {
    const button = (/** @type {string} */ text, /** @type {string} */ name, /** @type {() => void} */ click) =>
      h('button', { type: 'button', 'aria-label': name, title: name, click }, text);
    return h('div', { class: 'bar' },
      button('+', 'Zoom in', () => this.zoomBy(FACTOR, this.hasCursor ? this.cursor : undefined)),
      button('−', 'Zoom out', () => this.zoomBy(1 / FACTOR)),
      button(all, title, () => this.showAll()), ...more);
  }

  /**
   * Moves the cursor or zooms where a key says so.
   *
   * @param {KeyboardEvent} event
   * @returns {boolean} whether it did
   */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return false;
    }
    const goal = moved(event.key, this.cursor, this.count, Math.max(1, Math.round(this.shown / 10)));
    if (goal !== null) {
      this.cursor = goal;
      this.hasCursor = true;
      this.reveal(goal);
    } else if (event.key === '+' || event.key === '=') {
      this.zoomBy(FACTOR, this.cursor);
    } else if (event.key === '-') {
      this.zoomBy(1 / FACTOR, this.cursor);
    } else if (event.key === '0') {
      this.showAll();
    } else {
      return false;
    }
    event.preventDefault();
    this.redraw();
    return true;
  }
}
