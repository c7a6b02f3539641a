// A model on its way through the compiler: what belongs together.

import { matching } from '../table.js';

/**
 * @typedef {object} KernelFields
 * @property {string} name
 * @property {string} op
 * @property {string} phase
 * @property {boolean} again
 * @property {[number, number]} at file and line
 * @property {number[]} names of values that it computes
 * @property {number[]} reads names of inputs of the step that it reads
 * @property {[string, string][]} launches code and how it is launched
 */

/**
 * @typedef {object} ProgramFields
 * @property {string} model
 * @property {Record<string, number>} symbols
 * @property {string} target
 * @property {string} strategy
 * @property {number} arenaBytes
 * @property {number} steps
 * @property {{ name: string, from: number, to: number, times: number }[]} [sections] where steps run in rounds
 * @property {{ file: string, lines: string[] }[]} sources
 * @property {{ name: string, lines: number[] }[]} passes first and number of each run of lines
 * @property {string} language
 * @property {string[]} code with gaps
 * @property {[number, number, number, boolean, number, number, number[], number[], number[][]][]} kernels
 * @property {string[]} kinds
 * @property {number[][]} tensors name, kind, first byte, bytes, first and last step
 * @property {number[][]} lines form, name, file, line, and what fills the gaps
 * @property {string[]} forms
 * @property {string[]} names
 */

/**
 * @typedef {Omit<ProgramFields, 'passes' | 'kernels' | 'lines' | 'forms'> & {
 *   passes: { name: string, lines: number[] }[],
 *   kernels: KernelFields[],
 *   lines: [string, number, number, number][],
 * }} Program as it is shown: lines have text, name, file and line
 */

/** Stands in a form where a part goes. */
const GAP = '\u0001';

/**
 * A form with its gaps filled.
 *
 * @param {string} form
 * @param {string[]} parts
 */
export function filled(form, parts) {
  return form.split(GAP).map((text, i) => text + (parts[i] ?? '')).join('');
}

/**
 * The program that fields tell, and where it lies in the arena as its last pass.
 *
 * @param {ProgramFields} fields
 * @returns {Program}
 */
export function programOf(fields) {
  const word = (/** @type {number} */ index) => fields.names[index] ?? '';
  /** @type {Program['lines']} */
  const lines = fields.lines.map(([form = 0, name = -1, file = -1, line = 0, ...parts]) =>
    [filled(fields.forms[form] ?? '', parts.map(word)), name, file, line]);
  const passes = fields.passes.map((pass) => ({ name: pass.name, lines: unrolled(pass.lines) }));
  const places = fields.tensors.map(([name = -1, kind = 0, offset = 0, size = 0, first = 0, last = 0], i) => {
    lines.push([`${name < 0 ? 'workspace' : word(name)} at byte ${offset}, ${size} bytes, steps ${first} to ${last}, `
      + `${fields.kinds[kind] ?? ''}`, name, -1, 0]);
    return fields.lines.length + i;
  });
  return {
    ...fields,
    lines,
    passes: [...passes, { name: 'plan-arena', lines: places }],
    kernels: fields.kernels.map(([name, op, phase, again, file, line, names, reads, launches]) => ({
      name: word(name), op: word(op), phase: word(phase), again, at: [file, line], names, reads,
      launches: launches.map(([text = 0, how = 0, ...parts]) =>
        [filled(fields.code[text] ?? '', parts.map(word)), word(how)]),
    })),
  };
}

/** @param {number[]} runs first and number of each */
function unrolled(runs) {
  const all = [];
  for (let i = 0; i < runs.length; i += 2) {
    for (let k = 0; k < (runs[i + 1] ?? 0); k++) {
      all.push((runs[i] ?? 0) + k);
    }
  }
  return all;
}

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
   * @type {Map<number, Set<number>>}
   */
  #kernelsOfName = new Map();

  /** @type {Map<number, Set<number>>} */
  #tensorsOfName = new Map();

  /** @param {Pick<Program, 'lines' | 'kernels' | 'tensors'>} program */
  constructor(program) {
    this.program = program;
    for (const [, name, file, line] of program.lines) {
      if (name >= 0 && file >= 0) {
        add(this.#placesOfName, name, `${file}:${line}`);
        add(this.#namesOfPlace, `${file}:${line}`, name);
      }
    }
    program.kernels.forEach((kernel, k) =>
      [...kernel.names, ...kernel.reads].forEach((name) => add(this.#kernelsOfName, name, k)));
    program.tensors.forEach(([name], t) => add(this.#tensorsOfName, name, t));
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
  map.set(key, (map.get(key) ?? new Set()).add(value));
}

/**
 * Lines in which all words of a text occur, whatever the case.
 *
 * @param {string[]} texts
 * @param {string} wanted
 * @returns {Set<number> | null} their numbers; null where nothing is wanted
 */
export function found(texts, wanted) {
  return wanted.trim() === '' ? null : new Set(matching([...texts.keys()], [(i) => texts[i]], wanted));
}
