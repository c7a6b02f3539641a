/** One account of a finished plan: what is in memory when, why, and at what price; nothing of how it is shown. */
package dev.remat.compiler.account;
