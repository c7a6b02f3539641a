// The page of a model's way through the compiler: its lines, the program after each pass, kernels, the arena.

import { h, replace } from './dom.js';
import { bytes, count, counted, modelTitle } from './format.js';
import { KINDS, legend } from './kinds.js';
import { Links, changes, found, nothing, programOf } from './passes/program.js';
import { rectangles } from './passes/rectangles.js';
import { rows } from './rows.js';
import { fillPage } from './shell.js';

/** @typedef {import('./passes/program.js').ProgramFields} ProgramFields */
/** @typedef {import('./passes/program.js').Selection} Selection */

/** Lines of a list that are in sight. */
const MODEL_LINES = 30;
const PASS_LINES = 16;
const KERNEL_LINES = 12;

/**
 * @param {ProgramFields} fields
 * @param {HTMLElement} place
 */
export function show(fields, place) {
  const program = programOf(fields);
  const links = new Links(program);
  /** @type {Selection} */
  let selection = nothing();
  let differences = false;
  let wanted = '';
  const texts = program.lines.map(([text]) => text);

  const status = h('p', { role: 'status', class: 'detail', id: 'chosen' });
  const model = modelPanel();
  const kernels = kernelPanel();
  const passes = program.passes.map((_, index) => passPanel(index));
  const arena = rectangles(program, () => selection.tensors, (tensor) => choose(links.ofTensor(tensor)));
  const onlyDifferences = h('button', {
    type: 'button',
    'aria-pressed': 'false',
    click: () => {
      differences = !differences;
      onlyDifferences.setAttribute('aria-pressed', String(differences));
      passes.forEach((pass) => pass.fill());
    },
  }, 'Differences only');
  const search = h('input', {
    type: 'search', placeholder: 'Search lines, values and kernels', 'aria-label': 'Search', class: 'grow',
    input: () => {
      wanted = search.value;
      [model, kernels, ...passes].forEach((panel) => panel.fill());
    },
  });

  /** @param {Selection} chosen */
  function choose(chosen) {
    selection = chosen;
    replace(status, ...told());
    [model, kernels, ...passes].forEach((panel) => panel.mark());
    arena.redraw();
  }

  function told() {
    const { names, places, kernels: run, tensors } = selection;
    const [first] = names;
    return names.size + run.size + tensors.size + places.size === 0 ? [] : [
      h('strong', {}, first === undefined ? 'Nothing more is known' : program.names[first] ?? '',
        names.size > 1 ? ` and ${counted(names.size - 1, 'value')} more` : ''),
      `: ${counted(places.size, 'line')} of the model, ${counted(run.size, 'kernel')}, `
        + `${counted(tensors.size, 'place')} in the arena`,
    ];
  }

  /** Files of the model, one behind the other. */
  function modelPanel() {
    const lines = program.sources.flatMap((source, file) => source.lines.map((text, i) =>
      ({ text, place: `${file}:${i + 1}`, number: i + 1, file: program.sources.length > 1 ? source.file : '' })));
    const contents = lines.map((line) => line.text);
    const list = rows({
      label: 'The model',
      most: MODEL_LINES,
      show: (row) => {
        const line = lines[row];
        const place = line?.place ?? '';
        const classes = `${links.has(place) ? 'linked' : 'quiet'}${selection.places.has(place) ? ' chosen' : ''}`;
        return { content: [h('span', { class: 'line-number', title: line?.file || null }, line?.number), line?.text],
          classes };
      },
      choose: (row) => choose(links.ofPlace(lines[row]?.place ?? '')),
    });
    function fill() {
      const hits = found(contents, wanted);
      list.setRows(contents.map((_, i) => i).filter((i) => hits === null || hits.has(i)));
    }
    function mark() {
      list.show(lines.findIndex((line) => selection.places.has(line.place)));
      list.draw();
    }
    fill();
    return { element: list.element, fill, mark };
  }

  /** @param {number} line */
  function isHead(line) {
    return texts[line]?.startsWith('—') === true;
  }

  /**
   * The program before a pass; without heads of groups where the pass has made none.
   *
   * @param {number} index
   */
  function linesBefore(index) {
    const before = program.passes[index - 1]?.lines ?? [];
    return program.passes[index]?.lines.some(isHead) ? before : before.filter((line) => !isHead(line));
  }

  /** @param {number} index */
  function changesOf(index) {
    const after = program.passes[index]?.lines ?? [];
    const change = changes(linesBefore(index), after);
    // The first program, and a table of places, have nothing in common with what was before.
    return { ...change, another: change.added.size === after.length };
  }

  /**
   * The program after a pass, with what the pass took away among it.
   *
   * @param {number} index
   */
  function passPanel(index) {
    const pass = program.passes[index];
    const after = pass?.lines ?? [];
    const { added, gone, same, moved, another } = changesOf(index);
    const unchanged = index > 0 && same;
    const matches = h('span', { class: 'quiet' });
    let open = index === 0;
    // Lines that are gone stand behind the line that they followed, under negative numbers.
    const merged = another ? after : merge(linesBefore(index), after, new Set(gone));
    const list = rows({
      label: `Program after ${pass?.name}`,
      most: PASS_LINES,
      show: (row) => {
        const line = row < 0 ? -row - 1 : row;
        const [text, name] = program.lines[line] ?? ['', -1];
        const change = another ? '' : row < 0 ? 'gone' : added.has(row) ? 'added' : '';
        const sign = change === 'gone' ? '−' : change === 'added' ? '+' : ' ';
        return {
          content: [h('span', { class: 'sign' }, sign), text],
          classes: `${change}${text.startsWith('—') ? ' head' : ''}${selection.names.has(name) ? ' chosen' : ''}`,
        };
      },
      choose: (row) => choose(links.ofNames([program.lines[row < 0 ? -row - 1 : row]?.[1] ?? -1])),
    });
    const body = h('div', { hidden: !open }, list.element);
    const summary = another ? counted(after.length, 'line')
      : unchanged ? 'unchanged' : moved ? 'another order' : `+${count(added.size)} −${count(gone.length)}`;
    const button = h('button', {
      type: 'button',
      class: 'fold',
      'aria-expanded': String(open),
      disabled: unchanged,
      click: () => {
        open = !open;
        button.setAttribute('aria-expanded', String(open));
        body.hidden = !open;
        fill();
        mark();
      },
    }, h('span', { class: 'name' }, `${index} ${pass?.name}`), h('span', { class: 'summary' }, summary), matches);

    function fill() {
      const hits = found(texts, wanted);
      const all = differences && !another ? merged.filter((row) => row < 0 || added.has(row)) : merged;
      const kept = hits === null ? all : all.filter((row) => hits.has(row < 0 ? -row - 1 : row));
      matches.textContent = hits === null || unchanged ? '' : `${count(kept.length)} found`;
      if (open) {
        list.setRows(kept);
      }
    }
    function mark() {
      if (open) {
        list.show(merged.find((row) => row >= 0 && selection.names.has(program.lines[row]?.[1] ?? -1)) ?? -1);
        list.draw();
      }
    }
    fill();
    return { element: h('div', { class: 'pass', 'data-pass': pass?.name }, button, body), fill, mark };
  }

  function kernelPanel() {
    const titles = program.kernels.map((kernel, k) =>
      `${k} ${kernel.name} ${kernel.op} ${kernel.phase}${kernel.again ? ' again' : ''}`);
    const code = h('div', { class: 'code', tabindex: 0, role: 'region', 'aria-label': 'Code of the kernel' },
      h('p', { class: 'quiet' }, 'Choose a kernel, or anything else, to see its code.'));
    const list = rows({
      label: 'Kernels in the order in which they run',
      most: KERNEL_LINES,
      show: (row) => {
        const kernel = program.kernels[row];
        return {
          content: [h('span', { class: 'line-number' }, row), kernel?.name,
            h('span', { class: 'quiet' }, ` ${kernel?.op} ${kernel?.phase}${kernel?.again ? ', again' : ''}`)],
          classes: selection.kernels.has(row) ? 'chosen' : '',
        };
      },
      choose: (row) => choose(links.ofKernel(row)),
    });
    function fill() {
      const hits = found(titles, wanted);
      list.setRows(titles.map((_, k) => k).filter((k) => hits === null || hits.has(k)));
    }
    function mark() {
      const first = [...selection.kernels].sort((a, b) => a - b)[0];
      if (first !== undefined) {
        list.show(first);
        const kernel = program.kernels[first];
        replace(code, h('h4', {}, `Kernel ${first}: `, h('span', { class: 'name' }, kernel?.name)),
          ...(kernel?.launches ?? []).map(([text, how]) =>
            h('div', {}, h('p', { class: 'quiet' }, how), h('pre', {}, text))));
      }
      list.draw();
    }
    fill();
    return { element: h('div', {}, list.element, code), fill, mark };
  }

  const unchanged = program.passes.filter((_, i) => i > 0 && changesOf(i).same).length;
  const panel = (/** @type {string} */ id, /** @type {string} */ title, /** @type {(Node | null)[]} */ content) =>
    h('section', { id, class: 'panel', 'aria-label': title }, h('h3', {}, title), ...content);
  fillPage(place, `${modelTitle(program)}, from its lines to the arena`, [
    h('p', { class: 'quiet' }, `Planned for ${program.target} by ${program.strategy}: ${count(program.steps)} kernels`
      + ` in an arena of ${bytes(program.arenaBytes)}${rounds(program.sections ?? [])}.`
      + ` Of ${count(program.passes.length - 1)} passes`
      + ` ${count(unchanged)} changed nothing.`),
  ], [{
    id: 'program',
    title: 'What becomes of what',
    hint: 'Click a line of the model, a line of the program, a kernel or a rectangle of the arena: what belongs to it'
      + ' is marked everywhere. + and − mark what a pass added and took away.',
    content: [
      h('div', { class: 'bar' }, search, onlyDifferences,
        h('button', { type: 'button', click: () => choose(nothing()) }, 'Clear')),
      status,
      h('div', { class: 'panels' },
        panel('model', 'Model', [model.element]),
        panel('passes', 'Program after each pass', passes.map((pass) => pass.element)),
        panel('kernels', `Kernels, as ${program.language}`, [kernels.element])),
      panel('arena', 'Arena', [arena.element,
        legend(KINDS.map((_, i) => i).filter((i) => program.tensors.some((tensor) =>
          program.kinds[tensor[1] ?? -1] === KINDS[i]?.label)))]),
    ],
  }]);
}

/**
 * Which kernels run how often.
 *
 * @param {NonNullable<ProgramFields['sections']>} sections
 */
function rounds(sections) {
  const repeated = sections.filter(({ times }) => times > 1)
    .map(({ name, from, to, times }) => `kernels ${from} to ${to - 1} (${name}) ${counted(times, 'time')}`);
  return repeated.length === 0
    ? ''
    : `; a step runs ${repeated.join(' and ')}; passes are those of a micro-batch`;
}

/**
 * Lines after a pass, with those that are gone behind the ones that they followed, as negative numbers.
 *
 * @param {number[]} before
 * @param {number[]} after
 * @param {Set<number>} gone
 */
function merge(before, after, gone) {
  /** @type {Map<number, number[]>} */
  const behind = new Map();
  let last = -1;
  for (const line of before) {
    if (gone.has(line)) {
      behind.set(last, [...(behind.get(last) ?? []), -line - 1]);
    } else {
      last = line;
    }
  }
  return [...(behind.get(-1) ?? []), ...after.flatMap((line) => [line, ...(behind.get(line) ?? [])])];
}
