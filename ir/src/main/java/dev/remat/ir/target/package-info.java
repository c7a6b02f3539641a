/** What a back end tells the planner. */
package dev.remat.ir.target;
