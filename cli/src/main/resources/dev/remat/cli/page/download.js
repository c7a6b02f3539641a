// Data as files.

import { h } from './dom.js';

/** @typedef {string | number | boolean | null} Cell */

/**
 * A table as RFC 4180 has it, with a header.
 *
 * @param {string[]} names
 * @param {Cell[][]} rows
 */
export function csv(names, rows) {
  return [names, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

/**
 * Text that a spreadsheet would take for a formula begins with an apostrophe.
 *
 * @param {Cell} cell
 */
function field(cell) {
  let text = cell === null ? '' : String(cell);
  if (typeof cell === 'string' && /^[=+\-@\t]/.test(text)) {
    text = `'${text}`;
  }
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Rows as objects.
 *
 * @param {string[]} names
 * @param {Cell[][]} rows
 */
export function json(names, rows) {
  const objects = rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])));
  return `${JSON.stringify(objects, null, 1)}\n`;
}

/**
 * Lets the browser save a file.
 *
 * @param {string} name
 * @param {string} type such as `text/csv`
 * @param {string} content
 */
export function save(name, type, content) {
  const place = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  const link = h('a', { href: place, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(place), 10_000);
}
