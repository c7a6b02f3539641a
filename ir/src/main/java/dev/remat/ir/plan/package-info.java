/** What planning decides and execution follows. */
package dev.remat.ir.plan;
