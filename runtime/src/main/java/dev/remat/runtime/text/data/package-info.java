/** Text to train on, as tokens of a tokenizer. */
package dev.remat.runtime.text.data;
