// Two plans that are compared.

/**
 * @typedef {object} PlanFields
 * @property {string} model
 * @property {string} modelHash
 * @property {Record<string, number>} symbols
 * @property {number} [microBatches] there where a batch is cut into several
 * @property {string} target
 * @property {string} strategy
 * @property {number | null} budgetBytes
 * @property {number} arenaBytes
 * @property {number} peakLiveBytes
 * @property {number} parameterBytes
 * @property {number} optimizerBytes
 * @property {number} gradientBytesAtPeak
 * @property {number} activationBytesAtPeak
 * @property {number} workspaceBytesAtPeak
 * @property {number | null} estimatedMillis
 * @property {number} overhead
 * @property {string} costModel
 * @property {number} kernels
 */

/** @typedef {{ state: string, times: number, millis: number | null } | null} Holding */

/**
 * @typedef {object} Change
 * @property {string} value
 * @property {number} bytes
 * @property {Holding} a
 * @property {Holding} b
 * @property {number} millis
 */

/**
 * @typedef {object} DiffFields what `diff --json` prints
 * @property {PlanFields} a
 * @property {PlanFields} b
 * @property {Change[]} changes
 * @property {{ keptOnlyInA: Sum, keptOnlyInB: Sum, recomputeMillis: number }} sums
 */

/** @typedef {{ tensors: number, bytes: number }} Sum */

/**
 * Fields, kinds and names of what is in memory at a peak.
 *
 * @type {[keyof PlanFields, string, string][]}
 */
export const AT_PEAK = [
  ['parameterBytes', 'parameter', 'Parameters'],
  ['optimizerBytes', 'optimizer', 'Optimizer'],
  ['gradientBytesAtPeak', 'gradient', 'Gradients'],
  ['activationBytesAtPeak', 'activation', 'Activations'],
  ['workspaceBytesAtPeak', 'workspace', 'Workspace'],
];

/**
 * What is live at a peak, with where each kind begins when they lie one behind the other.
 *
 * @param {PlanFields} plan
 */
export function partsAtPeak(plan) {
  let from = 0;
  return AT_PEAK.map(([field, kind, name]) => {
    const size = Number(plan[field]);
    const part = { name, kind, from, size };
    from += size;
    return part;
  });
}

/**
 * @param {Holding} holding
 */
export function stateText(holding) {
  return holding === null ? 'freed' : holding.state + (holding.times > 1 ? ` ${holding.times}×` : '');
}
