/** Strict JSON: what a format does not know is an error with its location. */
package dev.remat.ir.json;
