// The data of a page of stages, as it is looked up: what each stage does by the clock, in nanoseconds from the begin of
// the step, and what is in its arena when.

import { letters, summed, texts } from '../plan/columns.js';

/** @typedef {{ phase: string, part: number[], microBatch: number[] }} VisitColumns */
/** @typedef {{ name: (string | number)[], begin: number[], span: number[], kind: string,
 *   visit: number[] }} StepColumns */
/** @typedef {{ name: (string | number)[], step: number[], begin: number[],
 *   span: number[] }} ExchangeColumns */
/** @typedef {ExchangeColumns & { ranks: string }} WaitColumns */
/** @typedef {{ name: number[], kind: string, offset: number[], blocks: number[], first: number[],
 *   span: number[] }} StayColumns */
/** @typedef {{ visits: VisitColumns, steps: StepColumns, waits: WaitColumns,
 *   exchanges: ExchangeColumns, stays: StayColumns, names: string[] }} StageColumns */
/** @typedef {{ name: (string | number)[], from: number[], to: number[], bytes: number[], sent: number[],
 *   sentStep: number[], taken: number[], arrived: number[], awaited: number[] }} MessageColumns */
/** @typedef {{ shard?: string, schedule: string, mode: string, cost?: number, bubble?: number,
 *   largestArenaBytes?: number, smallestFoundBytes?: number }} Way a schedule and what is computed again by it; a cost
 *   where it fits */
/** @typedef {{ schedule: string, microBatches: number, cost: number, bubble: number,
 *   ranks?: number, shard?: string,
 *   stages: { arenaBytes: number, kernels: number, busy: number, interference: number, waited: number,
 *     sentBytes: number, exchangedBytes?: number, waitedForRanks?: number }[],
 *   modes: Way[] }} Sums */
/** @typedef {{ title: string, target: string, time: boolean, alignment: number, sums: Sums, messages: MessageColumns,
 *   stages: StageColumns[] }} StageData */

/** What a lane is drawn with: phases of visits, kernels of none, what runs again, and waits. */
export const RUNS = ['forward', 'backward', 'weights', 'other', 'again', 'waits'];
const AGAIN = RUNS.indexOf('again');
const WAITS = RUNS.indexOf('waits');
/** A step that only begins a message. */
const MESSAGE = 5;
/** Of no visit. */
export const NONE = -1;

/**
 * @typedef {object} Stretch of a visit that nothing of another interrupts
 * @property {number} stage
 * @property {number} visit or none
 * @property {number} first step
 * @property {number} last step
 * @property {number} kernels
 * @property {number} begin
 * @property {number} end
 * @property {number} computes
 * @property {number} again of what it computes
 * @property {number} waits in front of its kernels
 * @property {number} bytes in memory at most
 */

/**
 * @typedef {object} Message
 * @property {string} name
 * @property {number} from
 * @property {number} to
 * @property {number} bytes
 * @property {number} sent when it is there
 * @property {number} sentStep
 * @property {number} taken when there is room for it
 * @property {number} arrived
 * @property {number} awaited step in front of which it has arrived
 */

/** Intervals in their order: where each begins and ends, and an index of {@link RUNS}. */
/** @typedef {{ from: number[], to: number[], kind: number[] }} Segments */

/** One stage by the clock. Steps, waits and stays are numbers; what they are stands in arrays. */
export class Stage {
  /** @type {string[] | null} */
  #names = null;

  /**
   * @param {StageColumns} columns
   * @param {number} number
   * @param {number} alignment
   */
  constructor({ visits, steps, waits, exchanges, stays, names }, number, alignment) {
    this.number = number;
    this.phase = letters(visits.phase);
    this.part = visits.part;
    this.microBatch = visits.microBatch;
    this.stepNames = steps.name;
    this.stepCount = steps.span.length;
    this.begin = summed(steps.begin);
    this.span = steps.span;
    this.kind = letters(steps.kind);
    this.visit = summed(steps.visit);
    this.waits = { name: texts(waits.name), ranks: letters(waits.ranks), step: summed(waits.step),
      begin: summed(waits.begin), span: waits.span };
    /** What ranks exchange, one behind the other. */
    this.exchanges = { name: texts(exchanges.name), begin: summed(exchanges.begin), span: exchanges.span };
    const last = this.stepCount - 1;
    const waited = this.waits.begin.map((begin, i) => begin + waits.span[i]);
    this.end = Math.max(0, last < 0 ? 0 : this.begin[last] + this.span[last], ...waited.slice(-1));
    // What is in use at a step stays until the next begins, so that what is on its way is there.
    const until = (/** @type {number} */ step) => (step < last ? this.begin[step + 1] : this.end);
    const first = summed(stays.first);
    this.stayFirst = first.map((step) => Math.max(0, step));
    this.stayLast = first.map((step, i) => Math.min(last, step + stays.span[i]));
    this.stayCount = first.length;
    /** For what rasters a plan by steps: here a nanosecond is one. */
    this.first = this.stayFirst.map((step) => (step === 0 ? 0 : this.begin[step]));
    this.last = this.stayLast.map((step) => until(step) - 1);
    this.offset = stays.offset.map((blocks) => blocks * alignment);
    this.bytes = stays.blocks.map((blocks) => blocks * alignment);
    this.stayKind = letters(stays.kind);
    this.stayName = stays.name.map((name) => (name < 0 ? null : names[name]));
    this.live = this.#live();
    this.segments = this.#segments();
    this.stretches = this.#stretches();
  }

  /** Bytes in memory by step. */
  #live() {
    const live = new Float64Array(this.stepCount + 1);
    this.bytes.forEach((bytes, i) => {
      live[this.stayFirst[i]] += bytes;
      live[this.stayLast[i] + 1] -= bytes;
    });
    for (let step = 1; step < live.length; step++) {
      live[step] += live[step - 1];
    }
    return live;
  }

  /**
   * Kernels that follow one another and are of one kind and visit are one.
   *
   * @returns {Segments}
   */
  #segments() {
    const from = [];
    const to = [];
    const kind = [];
    let visit = NONE;
    let wait = 0;
    for (let step = 0; step <= this.stepCount; step++) {
      for (; wait < this.waits.step.length && this.waits.step[wait] === step; wait++) {
        from.push(this.waits.begin[wait]);
        to.push(this.waits.begin[wait] + this.waits.span[wait]);
        kind.push(WAITS);
      }
      if (step === this.stepCount || this.kind[step] === MESSAGE || this.span[step] === 0) {
        continue;
      }
      const end = this.begin[step] + this.span[step];
      const at = kind.length - 1;
      if (at >= 0 && kind[at] === this.kind[step] && visit === this.visit[step] && to[at] === this.begin[step]) {
        to[at] = end;
      } else {
        from.push(this.begin[step]);
        to.push(end);
        kind.push(this.kind[step]);
      }
      visit = this.visit[step];
    }
    return { from, to, kind };
  }

  #stretches() {
    /** @type {Stretch[]} */
    const all = [];
    let wait = 0;
    for (let step = 0; step < this.stepCount; step++) {
      let waits = 0;
      for (; wait < this.waits.step.length && this.waits.step[wait] <= step && this.kind[step] !== MESSAGE; wait++) {
        waits += this.waits.span[wait];
      }
      if (this.kind[step] === MESSAGE) {
        continue;
      }
      const open = all.at(-1);
      const again = this.kind[step] === AGAIN ? this.span[step] : 0;
      const end = this.begin[step] + this.span[step];
      if (open !== undefined && open.visit === this.visit[step]) {
        open.last = step;
        open.kernels++;
        open.end = end;
        open.computes += this.span[step];
        open.again += again;
        open.waits += waits;
        open.bytes = Math.max(open.bytes, this.live[step]);
      } else {
        all.push({ stage: this.number, visit: this.visit[step], first: step, last: step, kernels: 1,
          begin: this.begin[step], end, computes: this.span[step], again, waits, bytes: this.live[step] });
      }
    }
    return all;
  }

  /**
   * The last of what begins in order that has begun at a time, or -1.
   *
   * @param {ArrayLike<number>} begins
   * @param {number} time
   */
  static at(begins, time) {
    let low = 0;
    let high = begins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (begins[middle] <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /**
   * The number of the stretch at a time, or of the last one before it; 0 where none has begun.
   *
   * @param {number} time
   */
  stretchAt(time) {
    return Math.max(0, Stage.at(this.stretches.map((stretch) => stretch.begin), time));
  }

  /**
   * The number of the wait at a time, or -1.
   *
   * @param {number} time
   */
  waitAt(time) {
    return Stage.within(this.waits, time);
  }

  /**
   * The number of the exchange with other ranks at a time, or -1.
   *
   * @param {number} time
   */
  exchangeAt(time) {
    return Stage.within(this.exchanges, time);
  }

  /**
   * @param {{ begin: number[], span: number[] }} intervals
   * @param {number} time
   */
  static within({ begin, span }, time) {
    const at = Stage.at(begin, time);
    return at >= 0 && time < begin[at] + span[at] ? at : NONE;
  }

  /**
   * The kernel that runs at a time, or -1.
   *
   * @param {number} time
   */
  kernelAt(time) {
    const step = Stage.at(this.begin, time);
    return step >= 0 && time < this.begin[step] + this.span[step] ? step : NONE;
  }

  /** @param {number} step */
  name(step) {
    this.#names ??= texts(this.stepNames);
    return this.#names[step];
  }

  /**
   * The stay at an address at a time; -1 if nothing is there.
   *
   * @param {number} time
   * @param {number} address
   */
  hit(time, address) {
    return this.offset.findIndex((offset, i) => offset <= address && address < offset + this.bytes[i]
      && this.first[i] <= time && time <= this.last[i]);
  }

  /** Nanoseconds in which something runs again. */
  get again() {
    return this.stretches.reduce((sum, stretch) => sum + stretch.again, 0);
  }
}

/**
 * @param {MessageColumns} columns
 * @returns {Message[]}
 */
export function messagesOf(columns) {
  const [sent, sentStep, taken, arrived, awaited] = [columns.sent, columns.sentStep, columns.taken, columns.arrived,
    columns.awaited].map(summed);
  return texts(columns.name).map((name, i) => ({ name, from: columns.from[i], to: columns.to[i],
    bytes: columns.bytes[i], sent: sent[i], sentStep: sentStep[i], taken: taken[i], arrived: arrived[i],
    awaited: awaited[i] }));
}

/**
 * Whether a stretch makes a message, or goes on when it has come.
 *
 * @param {Stretch} stretch
 * @param {Message} message
 */
export function concerns(stretch, message) {
  const within = (/** @type {number} */ step) => stretch.first <= step && step <= stretch.last + 1;
  return message.from === stretch.stage && within(message.sentStep)
    || message.to === stretch.stage && stretch.first <= message.awaited && message.awaited <= stretch.last;
}
