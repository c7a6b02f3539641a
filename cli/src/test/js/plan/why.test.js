import assert from 'node:assert/strict';
import { shortened } from '../../page/graph.js';
import { lineOf } from '../../page/plan/source.js';
import { shared } from '../../page/plan/why.js';

export function whatNamesShareEndsWithADot() {
  assert.equal(shared(['block.1.norm.a', 'block.1.norm.b', 'block.1.x']), 'block.1.');
  assert.equal(shared(['block.1.x', 'block.10.x']), 'block.');
  assert.equal(shared(['a.b', 'c.b']), '');
}

export function noNameIsSharedWhole() {
  assert.equal(shared(['block.1']), 'block.');
  assert.equal(shared(['x', 'x.y']), '');
}

export function placesAreFilesAndLines() {
  assert.deepEqual(lineOf('a:b/gpt.model:21:5'), { file: 'a:b/gpt.model', line: 21 });
  assert.equal(lineOf('nowhere'), null);
}

export function longTextsLoseTheirMiddle() {
  assert.equal(shortened('abcdefghij', 10), 'abcdefghij');
  assert.equal(shortened('abcdefghijk', 10), 'abcde…hijk');
  assert.equal(shortened('abcdefghijk', 10).length, 10);
}
