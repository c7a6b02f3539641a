/** What a plan costs and why, for people and for tools. */
package dev.remat.compiler.report;
