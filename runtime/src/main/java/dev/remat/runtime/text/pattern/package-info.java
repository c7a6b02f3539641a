/** The regular expressions of tokenizers, matched in time that no expression can make explode. */
package dev.remat.runtime.text.pattern;
