/** Strict JSON: what a format does not know is an error with its place. */
package dev.remat.ir.json;
