// What the parts of the page look at together: which plan, which value, which step.

import { decimal, time } from '../format.js';
import { Plan, prices, Values } from './data.js';

/** @typedef {import('./data.js').PlanData} PlanData */
/** @typedef {'plan' | 'value' | 'hover' | 'step' | 'layer'} Topic */

const NANOS_PER_MILLI = 1e6;
export const NONE = -1;

export class Look {
  /** @type {Map<Topic, (() => void)[]>} */
  #listeners = new Map();

  /** @type {Plan[]} */
  #plans = [];

  /** @param {PlanData} data */
  constructor(data) {
    this.data = data;
    this.values = new Values(data.values, data.words);
    this.prices = prices(data.prices);
    /** Whether any of the plans moves tensors below the arena. */
    this.movesAny = data.plans.some((plan) => (plan.moves?.places.length ?? 0) > 0);
    /** Whether ranks exchange anything. */
    this.exchangesAny = data.plans.some((plan) => (plan.moves?.exchanges.step.length ?? 0) > 0);
    this.index = data.plans.findIndex((plan) => plan.chosen);
    this.chosen = this.index;
    this.value = NONE;
    this.hovered = NONE;
    this.step = this.plan.peakStep;
    this.layer = '';
  }

  get plan() {
    return this.planAt(this.index);
  }

  /** @param {number} index */
  planAt(index) {
    this.#plans[index] ??= new Plan(this.data.plans[index], this.values, this.data.alignment, this.data.kinds.length);
    return this.#plans[index];
  }

  /**
   * @param {Topic[]} topics
   * @param {() => void} listener called after something of them has changed
   */
  on(topics, listener) {
    for (const topic of topics) {
      this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener]);
    }
  }

  /** @param {Topic} topic */
  #tell(topic) {
    this.#listeners.get(topic)?.forEach((listener) => listener());
  }

  /** @param {number} index */
  setPlan(index) {
    if (index !== this.index) {
      this.index = index;
      this.hovered = NONE;
      this.step = this.plan.peakStep;
      this.#tell('plan');
      this.#tell('step');
    }
  }

  /** @param {number} value */
  setValue(value) {
    this.value = value;
    this.#tell('value');
  }

  /** @param {number} value */
  hover(value) {
    if (value !== this.hovered) {
      this.hovered = value;
      this.#tell('hover');
    }
  }

  /** @param {number} step */
  setStep(step) {
    if (step !== this.step) {
      this.step = step;
      this.#tell('step');
    }
  }

  /** @param {string} layer */
  setLayer(layer) {
    this.layer = layer;
    this.#tell('layer');
  }

  /**
   * A cost as time, or in units where costs are no times.
   *
   * @param {number} cost
   */
  time(cost) {
    return this.data.time ? time(cost / NANOS_PER_MILLI) : `${decimal(cost)} units`;
  }

  /** @param {number} value */
  state(value) {
    return this.data.states[this.plan.states[value]];
  }

  /** @param {number} step */
  phase(step) {
    return this.data.phases[this.values.phase[this.plan.stepValue[step]]];
  }

  /**
   * The name of what a step makes, with a mark where it does so again.
   *
   * @param {number} step
   */
  stepName(step) {
    return this.values.name[this.plan.stepValue[step]] + (this.plan.stepAgain[step] ? '′' : '');
  }

  /**
   * A place in the model without the folders.
   *
   * @param {number} value
   */
  place(value) {
    return this.values.at[value].replace(/^.*\//, '');
  }
}
