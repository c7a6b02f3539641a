/** Plans that are kept in the user's cache folder from one command to the next. */
package dev.remat.cli.plans;
