/** From groups to a planning problem, and from the planner's sequence back to a graph that recomputes. */
package dev.remat.compiler.remat;
