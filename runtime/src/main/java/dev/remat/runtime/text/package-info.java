/** Text as tokens: bytes, or what a {@code tokenizer.json} of Hugging Face's says. */
package dev.remat.runtime.text;
