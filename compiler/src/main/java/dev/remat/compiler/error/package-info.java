/** What helps to understand an error: explanations by code, suggestions for misspelt names. */
package dev.remat.compiler.error;
