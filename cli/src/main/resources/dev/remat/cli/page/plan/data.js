// The data of a plan's page, as it is looked up: columns of numbers, decoded when they are first needed.

import { letters, summed, texts } from './columns.js';
import { Moves } from './moves.js';

/** @typedef {{ name: (string | number)[], type: number[], size: number[], elements: number[], at: number[],
 *   scope: number[], phase: number[], op: number[], cost: number[], result: number[], flops: number[],
 *   storage: number[], consumers: number[][] }} ValueColumns */
/** @typedef {{ value: number[], again: string, more: number[] }} StepColumns */
/** @typedef {{ value: number[], again: string, kind: string, offset: number[], more: number[], first: number[],
 *   span: number[] }} StayColumns */
/** @typedef {{ arenaBytes: number, peakLiveBytes: number, keepAllArenaBytes: number, floorBytes: number,
 *   floorBytesOfWhole?: number,
 *   smallestFoundBytes: number, parameterBytes: number, optimizerBytes: number, gradientBytesAtPeak: number,
 *   activationBytesAtPeak: number, workspaceBytesAtPeak: number }} MemorySums */
/** @typedef {{ flops: number, recomputeFlops: number, overhead: number, estimatedMillis: number | null,
 *   lowerBoundOverhead: number, proven: boolean, costModel: string }} ComputeSums */
/** @typedef {{ storeBytes: number, fetchBytes: number, exposedMillis: number,
 *   lanes: { name: string, busyMillis: number }[] }} TransferSums */
/** @typedef {{ count: number, exchanges: number, scatterBytes: number, gatherBytes: number, exposedMillis?: number,
 *   efficiency?: number }} RankSums */
/** @typedef {{ model: string, strategy: string, target: string, budgetBytes: number | null, memory: MemorySums,
 *   compute: ComputeSums, nodes: { kernels: number }, symbols: Record<string, number>, planHash: string,
 *   chunks?: import('../plan.js').ChunkedLoss[],
 *   transfers?: TransferSums, ranks?: RankSums, sections?: Section[] }} Sums */
/** @typedef {{ name: string, from: number, to: number, times: number }} Section steps, and how often they run */
/** @typedef {{ chosen: boolean, sums: Sums, peakStep: number, plannedPeakBytes: number, steps: StepColumns,
 *   stays: StayColumns, states: string, retained: { value: number[], reason: number[], reasons: string[] },
 *   recomputed: { value: number[], times: number[], cost: number[] },
 *   reliefs: { value: number[], peakBytes: number[], cost: number[] },
 *   moves?: import('./moves.js').MoveColumns }} PlanColumns */
/** @typedef {{ value: number[], change: string[], obstacle: (string | null)[], peakBytes: number[], cost: number[],
 *   fitsBudget: (boolean | null)[], instead: ([number, number] | null)[], runs: number[][], from: number[][],
 *   removed: number[][] }} PriceColumns */
/** @typedef {{ title: string, time: boolean, kinds: string[], states: string[], phases: string[],
 *   reasons: Record<string, string>, sources: { file: string, text: string }[], alignment: number,
 *   values: ValueColumns, words: { types: string[], places: string[], scopes: string[], ops: string[] },
 *   inputs: { value: number[], kind: number[], kinds: string[] }, plans: PlanColumns[],
 *   prices: PriceColumns }} PlanData */

/**
 * @typedef {object} Price what the other decision about a value would change
 * @property {'drop' | 'keep'} change
 * @property {string | null} obstacle why there is none
 * @property {number} peakBytes
 * @property {number} cost
 * @property {boolean | null} fitsBudget
 * @property {[number, number] | null} instead of what is moved: peak and cost if it is computed again
 * @property {number[]} runs what runs so that the value is computed again
 * @property {number[]} from what these start from
 * @property {number[]} removed what runs once less
 */

/** The values of the step, the same for all its plans. */
export class Values {
  /**
   * @param {ValueColumns} columns
   * @param {PlanData['words']} words
   */
  constructor(columns, words) {
    this.name = texts(columns.name);
    this.size = columns.size;
    this.elements = columns.elements;
    this.cost = columns.cost;
    this.flops = columns.flops;
    this.result = columns.result;
    this.storage = columns.storage;
    this.phase = columns.phase;
    this.consumers = columns.consumers.map(summed);
    this.type = columns.type.map((i) => words.types[i]);
    this.at = columns.at.map((i) => words.places[i]);
    this.scope = columns.scope.map((i) => words.scopes[i]);
    this.op = columns.op.map((i) => words.ops[i]);
    this.count = this.name.length;
  }

  /**
   * The first result of the node that makes a value.
   *
   * @param {number} value
   */
  node(value) {
    return value - this.result[value];
  }
}

/** One plan. Steps and stays are numbers; what they are stands in arrays. */
export class Plan {
  /**
   * @param {PlanColumns} columns
   * @param {Values} values
   * @param {number} alignment
   * @param {number} kinds
   */
  constructor(columns, values, alignment, kinds) {
    const { steps, stays } = columns;
    this.sums = columns.sums;
    this.chosen = columns.chosen;
    this.peakStep = columns.peakStep;
    this.states = letters(columns.states);
    this.stepValue = summed(steps.value);
    this.stepAgain = letters(steps.again);
    this.stepCost = steps.more.map((more, step) => more + values.cost[this.stepValue[step]]);
    this.stepCount = steps.more.length;
    /** None where every step runs once. */
    this.sections = columns.sums.sections ?? [];
    this.stepTimes = new Int32Array(this.stepCount).fill(1);
    this.sections.forEach(({ from, to, times }) => this.stepTimes.fill(times, from, to));
    this.value = summed(stays.value);
    this.again = letters(stays.again);
    this.kind = letters(stays.kind);
    this.first = summed(stays.first);
    this.last = stays.span.map((span, i) => this.first[i] + span);
    this.offset = stays.offset.map((blocks) => blocks * alignment);
    this.bytes = stays.more.map((more, i) => {
      const own = this.value[i] < 0 ? 0 : Math.ceil(values.size[this.value[i]] / alignment);
      return (more + own) * alignment;
    });
    this.stayCount = this.value.length;
    this.live = this.#live(kinds);
    this.total = this.live[0].map((_, step) => this.live.reduce((sum, each) => sum + each[step], 0));
    this.retained = reasons(columns.retained);
    this.recomputed = new Map(summed(columns.recomputed.value).map((value, i) =>
      [value, { times: columns.recomputed.times[i], cost: columns.recomputed.cost[i] }]));
    this.reliefs = columns.reliefs.value.map((value, i) => ({
      value,
      peakBytes: columns.reliefs.peakBytes[i],
      cost: columns.reliefs.cost[i],
    }));
    /** Null where everything stays in the arena, of one rank. */
    this.moves = columns.moves === undefined ? null : new Moves(columns.moves, this.stepCost);
    /** @type {Map<number, number[]>} */
    this.staysOf = new Map();
    this.value.forEach((value, stay) => {
      const known = this.staysOf.get(value) ?? [];
      known.push(stay);
      this.staysOf.set(value, known);
    });
  }

  /**
   * Bytes in memory by kind and step.
   *
   * @param {number} kinds
   */
  #live(kinds) {
    const live = Array.from({ length: kinds }, () => new Float64Array(this.stepCount));
    for (let i = 0; i < this.stayCount; i++) {
      const sums = live[this.kind[i]];
      sums[this.first[i]] += this.bytes[i];
      if (this.last[i] + 1 < this.stepCount) {
        sums[this.last[i] + 1] -= this.bytes[i];
      }
    }
    for (const sums of live) {
      for (let step = 1; step < this.stepCount; step++) {
        sums[step] += sums[step - 1];
      }
    }
    return live;
  }

  /**
   * Stays that are in memory at a step, largest first.
   *
   * @param {number} step
   */
  at(step) {
    return [...this.first.keys()].filter((i) => this.first[i] <= step && step <= this.last[i])
      .sort((a, b) => this.bytes[b] - this.bytes[a]);
  }

  /**
   * The stay at an address at a step; -1 if nothing is there.
   *
   * @param {number} step
   * @param {number} address
   */
  hit(step, address) {
    return this.offset.findIndex((offset, i) => offset <= address && address < offset + this.bytes[i]
      && this.first[i] <= step && step <= this.last[i]);
  }
}

/**
 * @param {PlanColumns['retained']} columns
 * @returns {Map<number, string>}
 */
function reasons(columns) {
  return new Map(summed(columns.value).map((value, i) => [value, columns.reasons[columns.reason[i]]]));
}

/**
 * Prices by value.
 *
 * @param {PriceColumns} columns
 * @returns {Map<number, Price>}
 */
export function prices(columns) {
  return new Map(summed(columns.value).map((value, i) => [value, {
    change: columns.change[i] === 'drop' ? 'drop' : 'keep',
    obstacle: columns.obstacle[i],
    peakBytes: columns.peakBytes[i],
    cost: columns.cost[i],
    fitsBudget: columns.fitsBudget[i],
    instead: columns.instead[i],
    runs: summed(columns.runs[i]),
    from: summed(columns.from[i]),
    removed: summed(columns.removed[i]),
  }]));
}
