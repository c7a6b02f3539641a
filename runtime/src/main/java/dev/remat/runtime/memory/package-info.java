/** How much memory the system lets this process have, and what it takes. */
package dev.remat.runtime.memory;
