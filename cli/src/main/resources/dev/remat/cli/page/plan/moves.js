// What a plan moves below its arena and back, and what its ranks exchange, by the steps and by the clock.

/** @typedef {{ places: { name: string, bytes: number }[], end: number, waits: { step: number[], nanos: number[] },
 *   transfers: { value: number[], place: string, fetch: string, bytes: number[], begin: number[], span: number[] },
 *   copies: { value: number[], place: string, bytes: number[], first: number[], span: number[] },
 *   ways: { value: number[], after: number[], before: number[], bytes: number[], exposed: number[],
 *     place: string[] },
 *   exchanges: { step: number[], awaited: number[], bytes: number[], begin: number[], span: number[],
 *     waited: number[] } }} MoveColumns times are nanoseconds */

import { letters, summed } from './columns.js';

/**
 * @typedef {object} Way of a tensor out of the arena and back
 * @property {number} after the value behind which it is stored; -1 of what lies below from the start
 * @property {number} before the value ahead of which it begins to come back
 * @property {number} bytes
 * @property {number} exposed nanoseconds of a step that kernels wait
 * @property {string} place
 */

/**
 * @typedef {object} Exchange
 * @property {number} step that it is
 * @property {number} awaited the step in front of which kernels wait for it
 * @property {number} bytes that a rank takes
 * @property {number} from nanoseconds
 * @property {number} to
 * @property {number} waited nanoseconds
 */

/** Moves of one plan. Transfers and copies are numbers; what they are stands in arrays. */
export class Moves {
  /**
   * @param {MoveColumns} columns
   * @param {number[]} stepCost nanoseconds of each step
   */
  constructor({ places, end, waits, transfers, copies, ways, exchanges }, stepCost) {
    this.places = places;
    this.end = end;
    const begins = summed(exchanges.begin);
    /** @type {Exchange[]} */
    this.exchanges = summed(exchanges.step).map((step, i) => ({ step, awaited: exchanges.awaited[i],
      bytes: exchanges.bytes[i], from: begins[i], to: begins[i] + exchanges.span[i], waited: exchanges.waited[i] }));
    /** How long kernels run in each step: in an exchange none does. */
    this.cost = Float64Array.from(stepCost);
    this.exchanges.forEach(({ step }) => {
      this.cost[step] = 0;
    });
    /** Nanoseconds in which no kernel runs, ahead of each step. */
    this.waits = new Float64Array(stepCost.length);
    summed(waits.step).forEach((step, i) => {
      this.waits[step] = waits.nanos[i];
    });
    /** When each step begins, and when all is done. */
    this.begin = new Float64Array(stepCost.length + 1);
    let now = 0;
    this.cost.forEach((cost, step) => {
      this.begin[step] = now + this.waits[step];
      now = this.begin[step] + cost;
    });
    this.begin[stepCost.length] = end;
    this.value = transfers.value;
    this.place = letters(transfers.place);
    this.fetches = letters(transfers.fetch);
    this.bytes = transfers.bytes;
    this.from = summed(transfers.begin);
    this.to = transfers.span.map((span, i) => this.from[i] + span);
    this.copyValue = copies.value;
    this.copyPlace = letters(copies.place);
    this.copyBytes = copies.bytes;
    this.copyFirst = summed(copies.first);
    this.copyLast = copies.span.map((span, i) => this.copyFirst[i] + span);
    this.live = this.#live(stepCost.length);
    this.most = stepCost.reduce((most, _, step) =>
      Math.max(most, this.live.reduce((sum, each) => sum + each[step], 0)), 0);
    /** @type {Map<number, Way[]>} */
    this.ways = new Map();
    ways.value.forEach((value, i) => {
      const way = { after: ways.after[i], before: ways.before[i], bytes: ways.bytes[i], exposed: ways.exposed[i],
        place: ways.place[i] };
      this.ways.set(value, [...this.ways.get(value) ?? [], way]);
    });
    this.exposed = this.waits.reduce((sum, each) => sum + each, 0);
    this.exposed += end - now;
  }

  /**
   * Bytes below the arena by place and step.
   *
   * @param {number} steps
   */
  #live(steps) {
    const live = this.places.map(() => new Float64Array(steps));
    this.copyValue.forEach((_, i) => {
      for (let step = this.copyFirst[i]; step <= this.copyLast[i]; step++) {
        live[this.copyPlace[i]][step] += this.copyBytes[i];
      }
    });
    return live;
  }

  /**
   * When what a step waits for begins, or how far step and waiting have come.
   *
   * @param {number} step with a fraction, up to the number of steps
   */
  time(step) {
    const last = this.begin.length - 2;
    const whole = Math.min(Math.floor(step), last);
    const edge = (/** @type {number} */ at) => (at > last ? this.end : this.begin[at] - this.waits[at]);
    return edge(whole) + (step - whole) * (edge(whole + 1) - edge(whole));
  }

  /**
   * The step that runs at a time, or that comes next.
   *
   * @param {number} time
   */
  step(time) {
    let low = 0;
    let high = this.begin.length - 2;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.begin[middle] - this.waits[middle] <= time) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /**
   * The transfer of a lane at a time; -1 if the lane is idle.
   *
   * @param {number} place
   * @param {number} fetches 1 or 0
   * @param {number} time
   */
  hit(place, fetches, time) {
    return this.value.findIndex((_, i) =>
      this.place[i] === place && this.fetches[i] === fetches && this.from[i] <= time && time < this.to[i]);
  }

  /**
   * The exchange at a time; -1 if there is none.
   *
   * @param {number} time
   */
  exchangeAt(time) {
    return this.exchanges.findIndex(({ from, to }) => from <= time && time < to);
  }

  /**
   * Exchanges that are waited for longest, the longest first.
   *
   * @param {number} most
   */
  longestExchanges(most) {
    return this.exchanges.filter(({ waited }) => waited > 0).sort((a, b) => b.waited - a.waited).slice(0, most);
  }

  /**
   * What is waited for longest: values with nanoseconds, the longest first.
   *
   * @param {number} most
   */
  longestWaits(most) {
    return [...this.ways].map(([value, ways]) => ({ value, nanos: waited(ways) }))
      .filter(({ nanos }) => nanos > 0)
      .sort((a, b) => b.nanos - a.nanos)
      .slice(0, most);
  }
}

/**
 * How long kernels wait for a tensor.
 *
 * @param {Way[]} ways
 */
export function waited(ways) {
  return ways.reduce((sum, way) => sum + way.exposed, 0);
}

/** @param {Way[]} ways */
export function movedBytes(ways) {
  return ways.reduce((sum, way) => sum + way.bytes, 0);
}
