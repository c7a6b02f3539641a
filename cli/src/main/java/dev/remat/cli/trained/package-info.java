/** What training has left, and models as it is used with: by samples, or continuing tokens. */
package dev.remat.cli.trained;
