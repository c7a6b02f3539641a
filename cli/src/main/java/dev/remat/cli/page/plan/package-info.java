/** What {@code plan --html} puts into its page: plans as columns of numbers, which the page's scripts read. */
package dev.remat.cli.page.plan;
