// What the parts of a page of stages look at together: which stretch of which stage.

import { bytes, counted, decimal, time } from '../format.js';
import { messagesOf, NONE, Stage } from './data.js';

/** @typedef {import('./data.js').StageData} StageData */
/** @typedef {import('./data.js').Stretch} Stretch */

const NANOS_PER_MILLI = 1e6;
const PHASES = ['forward', 'backward', 'weight gradients'];

export class Sight {
  /** @type {(() => void)[]} */
  #listeners = [];

  /** @param {StageData} data */
  constructor(data) {
    this.data = data;
    this.sums = data.sums;
    this.stages = data.stages.map((columns, number) => new Stage(columns, number, data.alignment));
    this.messages = messagesOf(data.messages);
    this.exchanges = this.stages.reduce((sum, stage) => sum + stage.exchanges.span.length, 0);
    this.makespan = Math.max(1, data.sums.cost);
    this.inParts = this.stages.some((stage) => stage.part.some((part) => part !== stage.part[0]));
    this.stage = 0;
    this.index = 0;
  }

  /** The chosen stretch; none where a stage computes nothing. */
  get stretch() {
    return /** @type {Stretch | undefined} */ (this.stages[this.stage].stretches[this.index]);
  }

  /** @param {() => void} listener called after another stretch was chosen */
  on(listener) {
    this.#listeners.push(listener);
  }

  /**
   * @param {number} stage
   * @param {number} index of a stretch; the nearest that there is
   */
  choose(stage, index) {
    this.stage = stage;
    this.index = Math.max(0, Math.min(this.stages[stage].stretches.length - 1, index));
    this.#listeners.forEach((listener) => listener());
  }

  /** @param {number} cost as time, or in units where costs are no times */
  time(cost) {
    return this.data.time ? time(cost / NANOS_PER_MILLI) : `${decimal(cost)} units`;
  }

  /**
   * What a stage visits, in words: `backward 3`.
   *
   * @param {Stage} stage
   * @param {number} visit
   */
  visitName(stage, visit) {
    if (visit === NONE) {
      return 'of the whole step';
    }
    const part = this.inParts ? `, part ${stage.part[visit]}` : '';
    return `${PHASES[stage.phase[visit]]} ${stage.microBatch[visit]}${part}`;
  }

  /**
   * The same as it stands on a lane, `B3`, and where there is less room.
   *
   * @param {Stage} stage
   * @param {number} visit
   */
  visitMarks(stage, visit) {
    if (visit === NONE) {
      return ['step'];
    }
    const mark = `${'FBW'[stage.phase[visit]]}${stage.microBatch[visit]}`;
    return this.inParts ? [`${mark}@${stage.part[visit]}`, mark] : [mark];
  }

  /** @param {Stretch} stretch in a sentence */
  words(stretch) {
    const stage = this.stages[stretch.stage];
    const again = stretch.again > 0 ? `, ${this.time(stretch.again)} of it again` : '';
    const waits = stretch.waits > 0 ? `, waiting ${this.time(stretch.waits)}` : '';
    return `stage ${stretch.stage}, ${this.visitName(stage, stretch.visit)}: `
      + `from ${this.time(stretch.begin)} to ${this.time(stretch.end)}, `
      + `${counted(stretch.kernels, 'kernel')} in ${this.time(stretch.computes)}${again}${waits}; `
      + `${bytes(stretch.bytes)} in memory at most`;
  }
}
