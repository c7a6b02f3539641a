/** The message passing interface of the system, by the JDK's foreign functions. */
package dev.remat.runtime.mpi;
