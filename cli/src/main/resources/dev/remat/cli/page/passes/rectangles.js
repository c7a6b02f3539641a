// The arena over the steps: a rectangle for each stay of a tensor.

import { drawBottomAxis, drawByteAxis } from '../axes.js';
import { h } from '../dom.js';
import { bytes, count } from '../format.js';
import { KINDS, pattern } from '../kinds.js';
import { plot } from '../plot.js';
import { Range } from '../range.js';
import { colour } from '../theme.js';
import { showTips } from '../tooltip.js';

/** @typedef {import('../plot.js').Frame} Frame */
/** @typedef {import('./program.js').Program} Program */

/** Brightness of what is not chosen while something is. */
const FAINT = 0.35;

/**
 * @param {Program} program
 * @param {() => Set<number>} chosen tensors
 * @param {(tensor: number) => void} choose is called when one is clicked, or Enter is pressed on it
 */
export function rectangles(program, chosen, choose) {
  const range = new Range(program.steps);
  let pointed = -1;

  /** @param {Frame} frame */
  const scaleOf = (frame) => d3.scaleLinear().domain([0, program.arenaBytes || 1]).range([frame.bottom, frame.top]);

  /** @param {Frame} frame */
  function draw(frame) {
    const { context } = frame;
    const x = range.scale(frame);
    const y = scaleOf(frame);
    drawByteAxis(frame, y);
    drawBottomAxis(frame, x, 'step', count, Number.isInteger);
    const inks = program.kinds.map((kind) => pattern(context, KINDS.findIndex((each) => each.label === kind)));
    const marked = chosen();
    context.save();
    context.beginPath();
    context.rect(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top);
    context.clip();
    context.globalAlpha = marked.size > 0 ? FAINT : 1;
    program.tensors.forEach((tensor) => {
      const area = areaOf(tensor, 1);
      fill(tensor);
      if (area[2] > 4 && area[3] > 4) {
        context.strokeStyle = colourOfGap();
        context.lineWidth = 0.5;
        context.strokeRect(...area);
      }
    });
    context.globalAlpha = 1;
    marked.forEach((index) => {
      fill(program.tensors[index]);
      outline(program.tensors[index], 'lit');
    });
    if (range.hasCursor) {
      context.fillStyle = colour('lit');
      context.fillRect(Math.round(x(range.cursor + 0.5)), frame.top, 1, frame.bottom - frame.top);
      if (pointed >= 0) {
        outline(program.tensors[pointed], 'accent');
      }
    }
    context.restore();

    /**
     * @param {number[]} tensor
     * @param {number} least pixels that it is wide and high
     * @returns {[number, number, number, number]}
     */
    function areaOf([, , offset, size, first, last], least) {
      const top = y(offset + size);
      return [x(first), top, Math.max(least, x(last + 1) - x(first)), Math.max(least, y(offset) - top)];
    }

    /** @param {number[]} tensor */
    function fill(tensor) {
      context.fillStyle = inks[tensor[1]];
      context.fillRect(...areaOf(tensor, 1));
    }

    /**
     * @param {number[]} tensor
     * @param {string} ink name of a colour
     */
    function outline(tensor, ink) {
      context.strokeStyle = colour(ink);
      context.lineWidth = 2;
      context.strokeRect(...areaOf(tensor, 2));
    }
  }

  /** @param {MouseEvent} event */
  function under(event) {
    const frame = chart.frame();
    const step = Math.floor(range.scale(frame).invert(event.offsetX));
    const at = scaleOf(frame).invert(event.offsetY);
    return program.tensors.findIndex(([, , offset, size, first, last]) =>
      step >= first && step <= last && at >= offset && at < offset + size);
  }

  /** Tensors in memory at the cursor, lowest first. */
  function live() {
    return program.tensors
      .map(([, , offset, , first, last], index) => ({ index, offset, first, last }))
      .filter((each) => each.first <= range.cursor && range.cursor <= each.last)
      .sort((a, b) => a.offset - b.offset)
      .map((each) => each.index);
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (step !== 0) {
      const here = live();
      range.hasCursor = true;
      pointed = here[Math.max(0, Math.min(here.length - 1, here.indexOf(pointed) + step))] ?? -1;
      event.preventDefault();
      chart.redraw();
    } else if (event.key === 'Enter' && pointed >= 0) {
      choose(pointed);
    } else {
      range.key(event);
    }
  }

  const chart = plot({
    label: 'The arena: addresses over steps; left and right move the cursor, up and down go through what is there,'
      + ' Enter chooses it',
    height: 320,
    draw,
  });
  range.attach(chart);
  showTips(chart.canvas, (event) => {
    const index = under(event);
    return index < 0 ? [] : tensorText(program, program.tensors[index]);
  });
  chart.canvas.addEventListener('click', (event) => {
    const index = under(event);
    if (index >= 0) {
      choose(index);
    }
  });
  chart.canvas.addEventListener('keydown', key);
  return { element: h('div', {}, range.buttons(), chart.element), redraw: chart.redraw };
}

/**
 * @param {Program} program
 * @param {number[]} tensor
 */
function tensorText(program, [name, kind, offset, size, first, last]) {
  return [
    h('strong', {}, program.names[name] ?? 'workspace'),
    ` ${program.kinds[kind] ?? ''}, ${count(size)} bytes (${bytes(size)}) at ${count(offset)}, `
      + (first === last ? `step ${count(first)}` : `steps ${count(first)} to ${count(last)}`),
  ];
}

/** What parts rectangles of one kind. */
function colourOfGap() {
  return document.documentElement.dataset['theme'] === 'dark' ? '#00000080' : '#ffffff80';
}
