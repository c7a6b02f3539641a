/** What single decisions of a finished sequence are worth: the same sequence with one of them changed, judged anew. */
package dev.remat.compiler.plan.price;
