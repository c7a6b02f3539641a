// Tables that are sorted, searched and saved. Only a page of rows is in the document, so that any number may be there.

import { h, replace } from './dom.js';
import { csv, json, save } from './download.js';
import { count } from './format.js';

/** @typedef {import('./download.js').Cell} Cell */
/** @typedef {import('./dom.js').Child} Child */

const ROWS = 50;

/**
 * @template R
 * @typedef {object} Column
 * @property {string} name in the header; short
 * @property {string} field in files
 * @property {(row: R) => Cell} value exact; sorted by, searched and saved
 * @property {(row: R) => Child} [show] as shown, if otherwise
 * @property {boolean} [number] whether it stands on the right
 */

/**
 * @template R
 * @typedef {object} TableOptions
 * @property {string} name of files, and what the table is called
 * @property {Column<R>[]} columns
 * @property {R[]} rows
 * @property {string} [sort] field that rows are sorted by first, descending if it is a number
 * @property {(row: R) => boolean} [isCurrent] whether a row is the chosen one
 */

/**
 * A column of numbers, empty where there is none.
 *
 * @template R
 * @param {string} name
 * @param {string} field
 * @param {(row: R) => number | null} value
 * @param {(value: number) => string} [text]
 * @returns {Column<R>}
 */
export function figures(name, field, value, text = String) {
  const show = (/** @type {R} */ row) => {
    const figure = value(row);
    return figure === null ? '' : text(figure);
  };
  return { name, field, value, show, number: true };
}

/**
 * Rows by a column; those without a value last, equal ones as they were.
 *
 * @template R
 * @param {R[]} rows
 * @param {(row: R) => Cell} value
 * @param {boolean} descending
 */
export function sorted(rows, value, descending) {
  const sign = descending ? -1 : 1;
  return rows
    .map((row, index) => ({ row, index, key: value(row) }))
    .sort((a, b) => {
      if (a.key === null || b.key === null) {
        return a.key === b.key ? a.index - b.index : a.key === null ? 1 : -1;
      }
      const order = typeof a.key === 'string' && typeof b.key === 'string'
        ? byName(a.key, b.key)
        : Number(a.key) - Number(b.key);
      return order === 0 ? a.index - b.index : sign * order;
    })
    .map((each) => each.row);
}

/**
 * Names as people count: `block.2` before `block.10`.
 *
 * @param {string} a
 * @param {string} b
 */
function byName(a, b) {
  const parts = a.split(/(\d+)/);
  const others = b.split(/(\d+)/);
  const same = parts.findIndex((part, i) => part !== others[i]);
  if (same < 0) {
    return parts.length - others.length;
  }
  const [part, other] = [parts[same], others[same] ?? ''];
  // Every second part is a number.
  return same % 2 === 1 && other !== '' && Number(part) !== Number(other)
    ? Number(part) - Number(other)
    : part < other ? -1 : 1;
}

/**
 * Rows in which every word of a text occurs, whatever the case.
 *
 * @template R
 * @param {R[]} rows
 * @param {((row: R) => Cell)[]} values
 * @param {string} text
 */
export function matching(rows, values, text) {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  return words.length === 0 ? rows : rows.filter((row) => {
    const all = values.map((value) => String(value(row) ?? '')).join('\n').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/**
 * A table with its controls.
 *
 * @template R
 * @param {TableOptions<R>} options
 * @returns {{ element: HTMLElement, setRows: (rows: R[]) => void, refresh: () => void }}
 */
export function table(options) {
  const { columns, name } = options;
  let rows = options.rows;
  let sort = columns.find((column) => column.field === options.sort) ?? null;
  let descending = sort?.number === true;
  let page = 0;

  const search = h('input', {
    type: 'search',
    placeholder: 'Search',
    'aria-label': `Search ${name}`,
    class: 'grow',
    input: () => {
      page = 0;
      draw();
    },
  });
  const body = h('tbody');
  const position = h('span', { role: 'status' });
  const back = h('button', { type: 'button', click: () => turn(-1) }, 'Previous');
  const on = h('button', { type: 'button', click: () => turn(1) }, 'Next');
  const heads = columns.map((column) => {
    const mark = h('span', { 'aria-hidden': 'true' });
    const button = h('button', { type: 'button', click: () => sortBy(column) }, column.name, mark);
    return { column, mark, cell: h('th', { scope: 'col', class: column.number && 'number' }, button) };
  });
  const frame = h('div', { class: 'table-frame', tabindex: 0, role: 'region', 'aria-label': name },
    h('table', { class: 'sortable' }, h('thead', {}, h('tr', {}, ...heads.map((head) => head.cell))), body));

  /** @param {number} by */
  function turn(by) {
    page += by;
    frame.scrollTop = 0;
    draw();
  }

  /** @param {Column<R>} column */
  function sortBy(column) {
    descending = sort === column ? !descending : column.number === true;
    sort = column;
    page = 0;
    draw();
  }

  function selected() {
    const found = matching(rows, columns.map((column) => column.value), search.value);
    return sort === null ? found : sorted(found, sort.value, descending);
  }

  function draw() {
    const all = selected();
    const last = Math.max(0, Math.ceil(all.length / ROWS) - 1);
    page = Math.min(page, last);
    replace(body, ...all.slice(page * ROWS, (page + 1) * ROWS).map(line));
    const from = Math.min(all.length, page * ROWS + 1);
    const to = Math.min(all.length, (page + 1) * ROWS);
    position.textContent = `${count(from)}–${count(to)} of ${count(all.length)}`
      + (all.length < rows.length ? ` found among ${count(rows.length)}` : '');
    back.disabled = page === 0;
    on.disabled = page === last;
    for (const head of heads) {
      const is = head.column === sort;
      head.mark.textContent = is ? (descending ? ' ▾' : ' ▴') : '';
      head.cell.setAttribute('aria-sort', is ? (descending ? 'descending' : 'ascending') : 'none');
    }
  }

  /** @param {R} row */
  function line(row) {
    const current = options.isCurrent?.(row) === true;
    return h('tr', { 'aria-current': current && 'true' }, ...columns.map((column) => {
      const value = column.value(row);
      return h('td', { class: column.number ? 'number' : null, title: column.number ? value : null },
        column.show ? column.show(row) : value === null ? '' : String(value));
    }));
  }

  /** @param {(names: string[], cells: Cell[][]) => string} write */
  function content(write) {
    return write(columns.map((column) => column.field),
      selected().map((row) => columns.map((column) => column.value(row))));
  }

  const saveCsv = () => save(`${name}.csv`, 'text/csv', content(csv));
  const saveJson = () => save(`${name}.json`, 'application/json', content(json));
  const element = h('div', {},
    h('div', { class: 'bar' },
      search,
      h('button', { type: 'button', click: saveCsv }, 'Save CSV'),
      h('button', { type: 'button', click: saveJson }, 'Save JSON')),
    h('div', { class: 'bar paging' }, position, back, on),
    frame);
  draw();
  return {
    element,
    setRows(others) {
      rows = others;
      draw();
    },
    refresh: draw,
  };
}
