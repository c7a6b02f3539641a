// Columns as a page carries them: numbers by their differences, small ones as letters, texts by what they share.

const FIRST_LETTER = 97;

/**
 * Numbers from their differences.
 *
 * @param {number[]} differences
 */
export function summed(differences) {
  let sum = 0;
  return differences.map((each) => {
    sum += each;
    return sum;
  });
}

/**
 * Texts from what each shares with the one before, and what follows.
 *
 * @param {(string | number)[]} parts
 */
export function texts(parts) {
  /** @type {string[]} */
  const all = [];
  let before = '';
  for (let i = 0; i < parts.length; i += 2) {
    before = before.slice(0, Number(parts[i])) + parts[i + 1];
    all.push(before);
  }
  return all;
}

/**
 * Small numbers from letters.
 *
 * @param {string} text
 */
export function letters(text) {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0) - FIRST_LETTER);
}
