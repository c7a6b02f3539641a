/** Planning problems and their answers as JSON files, for graphs that come from anywhere. */
package dev.remat.compiler.solve;
