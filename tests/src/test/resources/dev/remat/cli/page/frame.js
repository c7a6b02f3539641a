// A page of the parts that all pages share.

import { drawBottomAxis, drawByteAxis, drawLevel } from './axes.js';
import { h } from './dom.js';
import { bytes } from './format.js';
import { legend, pattern } from './kinds.js';
import { plot } from './plot.js';
import { Range } from './range.js';
import { factTiles, fillPage } from './shell.js';
import { table } from './table.js';
import { colour } from './theme.js';
import { hideTip, showTip } from './tooltip.js';

/**
 * @param {{ title: string, heights: number[], names: string[] }} data
 * @param {HTMLElement} place
 */
export function show(data, place) {
  const range = new Range(data.heights.length);
  const bars = plot({
    label: 'Heights',
    height: 240,
    draw: (frame) => {
      const x = range.scale(frame);
      const y = d3.scaleLinear().domain([0, Math.max(...data.heights)]).range([frame.bottom, frame.top]);
      drawByteAxis(frame, y);
      data.heights.forEach((height, i) => {
        frame.context.fillStyle = pattern(frame.context, i % 9);
        frame.context.fillRect(x(i), y(height), x(i + 1) - x(i), frame.bottom - y(height));
      });
      drawLevel(frame, y(500), 'five hundred', colour('mark'), [6, 3]);
      drawBottomAxis(frame, x, 'step', String, Number.isInteger);
    },
  });
  range.attach(bars);
  bars.canvas.addEventListener('pointermove', (event) => {
    const unit = Math.floor(range.scale(bars.frame()).invert(event.offsetX));
    showTip(event.clientX, event.clientY, `bar ${unit}: ${bytes(data.heights[unit] ?? 0)}`);
  });
  bars.canvas.addEventListener('pointerleave', hideTip);
  bars.canvas.addEventListener('keydown', (event) => range.key(event));
  const shown = h('output', { id: 'shown' });
  const names = table({
    name: 'names',
    columns: [
      { name: 'Name', field: 'name', value: (row) => row.name },
      { name: 'Bytes', field: 'bytes', value: (row) => row.size, show: (row) => bytes(row.size), number: true },
    ],
    rows: data.names.map((name, i) => ({ name, size: i })),
  });
  fillPage(place, data.title, [factTiles([{ name: 'bars', value: String(data.heights.length) }])], [
    { id: 'bars', title: 'Bars', hint: 'As many as there are.', content: [legend([0, 5, 6]), range.buttons(), bars.element, shown] },
    { id: 'names', title: 'Names', hint: 'One a row.', content: [names.element] },
  ]);
  Object.assign(window, { range, from: () => range.scale(bars.frame()).domain()[0] });
}
