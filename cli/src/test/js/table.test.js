import assert from 'node:assert/strict';
import { csv, json } from '../page/download.js';
import { matching, sorted } from '../page/table.js';

const rows = [
  { name: 'block.10.h', bytes: 5 },
  { name: 'block.2.h', bytes: 7 },
  { name: 'wte', bytes: null },
  { name: 'block.2.q', bytes: 5 },
];
const name = (/** @type {{ name: string }} */ row) => row.name;
const size = (/** @type {{ bytes: number | null }} */ row) => row.bytes;

export function namesAreSortedAsPeopleCount() {
  assert.deepEqual(sorted(rows, name, false).map(name), ['block.2.h', 'block.2.q', 'block.10.h', 'wte']);
}

export function equalOnesStayAsTheyWereAndNothingComesLast() {
  assert.deepEqual(sorted(rows, size, true).map(name), ['block.2.h', 'block.10.h', 'block.2.q', 'wte']);
  assert.deepEqual(sorted(rows, size, false).map(name), ['block.10.h', 'block.2.q', 'block.2.h', 'wte']);
}

export function everyWordMustOccurSomewhereInTheRow() {
  assert.deepEqual(matching(rows, [name, size], 'H 7').map(name), ['block.2.h']);
  assert.deepEqual(matching(rows, [name, size], 'q 7').map(name), []);
  assert.equal(matching(rows, [name], '  '), rows);
}

export function fieldsOfCsvAreQuotedWhereTheyMustBe() {
  assert.equal(
    csv(['a', 'b'], [['x,y', 1], ['say "no"', null], ['two\nlines', true]]),
    'a,b\r\n"x,y",1\r\n"say ""no""",\r\n"two\nlines",true\r\n',
  );
}

export function noTextIsAFormulaAndNumbersStay() {
  assert.equal(csv(['a'], [['=1+1'], [-1]]), "a\r\n'=1+1\r\n-1\r\n");
}

export function jsonHasAnObjectForEachRow() {
  assert.deepEqual(JSON.parse(json(['name', 'bytes'], [['x', 1], ['y', null]])),
    [{ name: 'x', bytes: 1 }, { name: 'y', bytes: null }]);
}
