// What runs have logged, arranged in charts.

/**
 * @typedef {object} ChartColumns a chart, and the columns that it draws
 * @property {string} id
 * @property {string} title
 * @property {'number' | 'bytes' | 'millis'} unit
 * @property {string[]} names of columns
 */

/** What the columns of held-back data begin with. */
const HELD_BACK = 'eval/';
/** Names whose columns stand in one chart. */
const RATES = /^rate(\/|$)/;
/**
 * Columns of one chart, and the one that it is named after.
 *
 * @type {[RegExp, string][]}
 */
const TOGETHER = [
  [RATES, 'rate'],
  [/^memory\//, 'memory/high_water_bytes'],
  [/^moved\/.*_bytes$/, 'moved/stored_bytes'],
];

/** @type {[RegExp, string][]} */
const TITLES = [
  [/^loss$/, 'Loss'],
  [/^loss\/(.*)$/, 'Loss $1'],
  [/^output\/(.*)$/, '$1'],
  [/^rate$/, 'Learning rate'],
  [/^millis$/, 'Time of a step'],
  [/^memory\/high_water_bytes$/, 'Memory'],
  [/^memory\/arena_bytes$/, 'Arena'],
  [/^moved\/stored_bytes$/, 'Moved in a step'],
  [/^moved\/exposed_millis$/, 'Waiting for transfers in a step'],
  [/^scaling\/scale$/, 'Scale of the loss'],
  [/^scaling\/skipped$/, 'Skipped updates, by step'],
  [/^scaling\/skipped_so_far$/, 'Skipped updates so far'],
];

/** Columns in the order in which people ask for them. */
const ORDER = [/^loss$/, /^loss\//, /^output\//, RATES, /^millis$/, /^moved\//, /^memory\//, /^scaling\//];

/** @param {string} name */
function rank(name) {
  const at = ORDER.findIndex((pattern) => pattern.test(name));
  return at < 0 ? ORDER.length : at;
}

/** @param {string} name */
function titleOf(name) {
  const found = TITLES.find(([pattern]) => pattern.test(name));
  return found ? name.replace(found[0], found[1]) : name;
}

/**
 * Charts of columns: held-back data stand beside the training's, rates together, the arena beside what is used of it,
 * and what is stored beside what is fetched.
 *
 * @param {string[]} names
 * @returns {ChartColumns[]}
 */
export function chartsOf(names) {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const name of names) {
    const plain = name.startsWith(HELD_BACK) ? name.slice(HELD_BACK.length) : name;
    const key = TOGETHER.find(([pattern]) => pattern.test(plain))?.[1] ?? plain;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups]
    .map(([key, members], index) => ({ key, members, index }))
    .sort((a, b) => rank(a.key) - rank(b.key) || a.index - b.index)
    .map(({ key, members }) => ({
      id: key.replace(/[^A-Za-z0-9]+/g, '-'),
      title: titleOf(key),
      unit: key.endsWith('_bytes') ? 'bytes' : /(^|_)millis$/.test(key) ? 'millis' : 'number',
      names: members,
    }));
}

/**
 * The point nearest to a step.
 *
 * @param {number[]} steps ascending
 * @param {number} step
 * @returns {number} its index; below 0 where there is none
 */
export function nearest(steps, step) {
  let low = 0;
  let high = steps.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] ?? 0) < step) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 && step - (steps[low - 1] ?? 0) <= (steps[low] ?? Infinity) - step ? low - 1 : high;
}

/**
 * Least and greatest of numbers, some of which may be missing.
 *
 * @param {Iterable<number | null>} values
 * @returns {[number, number] | null}
 */
export function extent(values) {
  let least = Infinity;
  let greatest = -Infinity;
  for (const value of values) {
    if (value !== null) {
      least = Math.min(least, value);
      greatest = Math.max(greatest, value);
    }
  }
  return least <= greatest ? [least, greatest] : null;
}
