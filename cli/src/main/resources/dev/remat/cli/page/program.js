// A model on its way through the compiler: what belongs together.

/**
 * @typedef {object} KernelFields
 * @property {string} name
 * @property {string} op
 * @property {string} phase
 * @property {boolean} again
 * @property {[number, number]} at file and line
 * @property {number[]} names of values that it computes
 * @property {number[]} reads names of inputs of the step that it reads
 * @property {[number, string][]} launches texts and how they are launched
 */

/**
 * @typedef {object} ProgramFields
 * @property {string} model
 * @property {Record<string, number>} symbols
 * @property {string} target
 * @property {string} strategy
 * @property {number} arenaBytes
 * @property {number} steps
 * @property {{ file: string, lines: string[] }[]} sources
 * @property {{ name: string, lines: number[] }[]} passes
 * @property {string} language
 * @property {string[]} code
 * @property {KernelFields[]} kernels
 * @property {string[]} kinds
 * @property {number[][]} tensors name, kind, first byte, bytes, first and last step
 * @property {[string, number, number, number][]} lines text, name, file and line
 * @property {string[]} names
 */

/**
 * @typedef {object} Selection everything that belongs to what was chosen
 * @property {Set<number>} names of values
 * @property {Set<string>} places lines of the model, as `file:line` by number
 * @property {Set<number>} kernels
 * @property {Set<number>} tensors
 */

/** @returns {Selection} */
export function nothing() {
  return { names: new Set(), places: new Set(), kernels: new Set(), tensors: new Set() };
}

/**
 * What a pass did to the lines of the program: which ones are new, which are gone, or whether only their order changed.
 *
 * @param {number[]} before
 * @param {number[]} after
 */
export function changes(before, after) {
  const had = new Set(before);
  const has = new Set(after);
  const added = new Set(after.filter((line) => !had.has(line)));
  const gone = before.filter((line) => !has.has(line));
  const same = before.length === after.length && before.every((line, i) => line === after[i]);
  return { added, gone, same, moved: !same && added.size === 0 && gone.length === 0 };
}

/** Finds what belongs together. */
export class Links {
  /** @type {Map<number, Set<string>>} */
  #placesOfName = new Map();

  /** @type {Map<string, Set<number>>} */
  #namesOfPlace = new Map();

  /**
   * Of inputs those that read them.
   *
   * @type {Map<number, number[]>}
   */
  #kernelsOfName = new Map();

  /** @type {Map<number, number[]>} */
  #tensorsOfName = new Map();

  /** @param {ProgramFields} program */
  constructor(program) {
    this.program = program;
    for (const [, name, file, line] of program.lines) {
      if (name >= 0 && file >= 0) {
        add(this.#placesOfName, name, `${file}:${line}`);
        add(this.#namesOfPlace, `${file}:${line}`, name);
      }
    }
    program.kernels.forEach((kernel, k) =>
      [...kernel.names, ...kernel.reads].forEach((name) => list(this.#kernelsOfName, name, k)));
    program.tensors.forEach(([name], t) => list(this.#tensorsOfName, name ?? -1, t));
  }

  /**
   * Everything about values.
   *
   * @param {Iterable<number>} names
   * @returns {Selection}
   */
  ofNames(names) {
    const all = nothing();
    for (const name of names) {
      if (name >= 0) {
        all.names.add(name);
        this.#placesOfName.get(name)?.forEach((place) => all.places.add(place));
        this.#kernelsOfName.get(name)?.forEach((kernel) => all.kernels.add(kernel));
        this.#tensorsOfName.get(name)?.forEach((tensor) => all.tensors.add(tensor));
      }
    }
    return all;
  }

  /**
   * Everything that comes from a line of the model.
   *
   * @param {string} place
   */
  ofPlace(place) {
    const all = this.ofNames(this.#namesOfPlace.get(place) ?? []);
    return { ...all, places: new Set([place]) };
  }

  /** @param {number} kernel */
  ofKernel(kernel) {
    const all = this.ofNames(this.program.kernels[kernel]?.names ?? []);
    return { ...all, kernels: new Set([kernel]) };
  }

  /** @param {number} tensor */
  ofTensor(tensor) {
    const all = this.ofNames([this.program.tensors[tensor]?.[0] ?? -1]);
    return { ...all, tensors: new Set([tensor]) };
  }

  /** Whether anything comes from a line of the model. */
  has(/** @type {string} */ place) {
    return this.#namesOfPlace.has(place);
  }
}

/**
 * @template K, V
 * @param {Map<K, Set<V>>} map
 * @param {K} key
 * @param {V} value
 */
function add(map, key, value) {
  const known = map.get(key);
  if (known) {
    known.add(value);
  } else {
    map.set(key, new Set([value]));
  }
}

/**
 * @template K, V
 * @param {Map<K, V[]>} map
 * @param {K} key
 * @param {V} value
 */
function list(map, key, value) {
  const known = map.get(key);
  if (known) {
    known.push(value);
  } else {
    map.set(key, [value]);
  }
}

/**
 * Lines in which all words of a text occur, whatever the case.
 *
 * @param {string[]} texts
 * @param {string} wanted
 * @returns {Set<number> | null} their numbers; null where nothing is wanted
 */
export function found(texts, wanted) {
  const words = wanted.toLowerCase().split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) {
    return null;
  }
  const all = new Set();
  texts.forEach((text, i) => {
    const low = text.toLowerCase();
    if (words.every((word) => low.includes(word))) {
      all.add(i);
    }
  });
  return all;
}
