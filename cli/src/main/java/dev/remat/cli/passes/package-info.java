/** {@code plan --passes-html}: a model's lines beside what passes, kernels and the arena make of them. */
package dev.remat.cli.passes;
