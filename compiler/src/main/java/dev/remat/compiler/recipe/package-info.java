/** What it takes to plan a step again as it was planned, without a search. */
package dev.remat.compiler.recipe;
