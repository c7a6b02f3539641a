/** Models that others have trained: a folder's configuration and weights become a model file with its weights. */
package dev.remat.cli.pretrained;
