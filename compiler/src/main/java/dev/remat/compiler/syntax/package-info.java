/** Model files to syntax trees and back: parser, includes, formatter, canonical form. */
package dev.remat.compiler.syntax;
