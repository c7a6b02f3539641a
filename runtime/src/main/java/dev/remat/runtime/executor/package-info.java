/** Runs execution plans on the CPU: every step is resolved to a kernel over fixed addresses when the plan is loaded. */
package dev.remat.runtime.executor;
