// The arena over the steps: a rectangle for each stay of a tensor.

import { drawBottomAxis, drawByteAxis } from '../axes.js';
import { h } from '../dom.js';
import { bytes, count } from '../format.js';
import { KINDS, pattern } from '../kinds.js';
import { plot } from '../plot.js';
import { Range } from '../range.js';
import { colour } from '../theme.js';
import { hideTip, showTip } from '../tooltip.js';

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
    program.tensors.forEach((tensor) => rectangle(context, tensor, x, y, inks[tensor[1] ?? 0] ?? '', false));
    context.globalAlpha = 1;
    marked.forEach((index) => {
      const tensor = program.tensors[index];
      if (tensor) {
        rectangle(context, tensor, x, y, inks[tensor[1] ?? 0] ?? '', true);
      }
    });
    if (range.hasCursor) {
      context.fillStyle = colour('lit');
      context.fillRect(Math.round(x(range.cursor + 0.5)), frame.top, 1, frame.bottom - frame.top);
      const tensor = program.tensors[pointed];
      if (tensor) {
        outline(context, tensor, x, y, 'accent');
      }
    }
    context.restore();
  }

  /** @param {PointerEvent | MouseEvent} event */
  function under(event) {
    const box = chart.canvas.getBoundingClientRect();
    const frame = chart.frame();
    const step = Math.floor(range.scale(frame).invert(event.clientX - box.left));
    const at = scaleOf(frame).invert(event.clientY - box.top);
    return program.tensors.findIndex(([, , offset = 0, size = 0, first = 0, last = 0]) =>
      step >= first && step <= last && at >= offset && at < offset + size);
  }

  /** Tensors in memory at the cursor, lowest first. */
  function live() {
    return program.tensors
      .map(([, , offset = 0, , first = 0, last = 0], index) => ({ index, offset, first, last }))
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
  chart.canvas.addEventListener('pointermove', (event) => {
    const index = under(event);
    const tensor = program.tensors[index];
    if (tensor) {
      showTip(event.clientX, event.clientY, ...tensorText(program, tensor));
    } else {
      hideTip();
    }
  });
  chart.canvas.addEventListener('pointerleave', hideTip);
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
export function tensorText(program, tensor) {
  const [name = -1, kind = 0, offset = 0, size = 0, first = 0, last = 0] = tensor;
  return [
    h('strong', {}, program.names[name] ?? 'workspace'),
    ` ${program.kinds[kind] ?? ''}, ${count(size)} bytes (${bytes(size)}) at ${count(offset)}, `
      + (first === last ? `step ${count(first)}` : `steps ${count(first)} to ${count(last)}`),
  ];
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number[]} tensor
 * @param {d3.Scale} x
 * @param {d3.Scale} y
 * @param {string | CanvasPattern} ink
 * @param {boolean} marked
 */
function rectangle(context, tensor, x, y, ink, marked) {
  const [, , offset = 0, size = 0, first = 0, last = 0] = tensor;
  context.fillStyle = ink;
  const width = Math.max(1, x(last + 1) - x(first));
  const height = Math.max(1, y(offset) - y(offset + size));
  context.fillRect(x(first), y(offset + size), width, height);
  if (marked) {
    outline(context, tensor, x, y, 'lit');
  } else if (width > 4 && height > 4) {
    context.strokeStyle = colourOfGap();
    context.lineWidth = 0.5;
    context.strokeRect(x(first), y(offset + size), width, height);
  }
}

/** What parts rectangles of one kind. */
function colourOfGap() {
  return document.documentElement.dataset['theme'] === 'dark' ? '#00000080' : '#ffffff80';
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number[]} tensor
 * @param {d3.Scale} x
 * @param {d3.Scale} y
 * @param {string} ink name of a colour
 */
function outline(context, tensor, x, y, ink) {
  const [, , offset = 0, size = 0, first = 0, last = 0] = tensor;
  context.strokeStyle = colour(ink);
  context.lineWidth = 2;
  context.strokeRect(x(first), y(offset + size), Math.max(2, x(last + 1) - x(first)),
    Math.max(2, y(offset) - y(offset + size)));
}
