/** Text as tokens: bytes, or byte-level byte pairs as GPT-2 has them. */
package dev.remat.runtime.text;
