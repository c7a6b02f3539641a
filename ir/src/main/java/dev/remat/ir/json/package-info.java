/** Strict JSON for remat's own files: fields in a known order, everything else is an error with its place. */
package dev.remat.ir.json;
