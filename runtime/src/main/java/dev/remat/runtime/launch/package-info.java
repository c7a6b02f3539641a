/** How processes that others have started learn who they are, and where they meet. */
package dev.remat.runtime.launch;
