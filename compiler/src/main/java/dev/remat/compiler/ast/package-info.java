/** Model files as syntax trees: records with locations, free of comments and of anything from the parser library. */
package dev.remat.compiler.ast;
