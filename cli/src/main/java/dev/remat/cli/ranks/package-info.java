/** Steps whose micro-batches several ranks compute: options, and what is told of them. */
package dev.remat.cli.ranks;
