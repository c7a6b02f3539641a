/** Which strategies there are, and the portfolio of them that is the default. */
package dev.remat.compiler.plan.portfolio;
