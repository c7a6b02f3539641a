/** Another order of the nodes, which needs less memory before anything is computed twice. */
package dev.remat.compiler.plan.order;
