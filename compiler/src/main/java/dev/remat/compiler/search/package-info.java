/** The search for a plan within a budget: what every command that plans asks. */
package dev.remat.compiler.search;
